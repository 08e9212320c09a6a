import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const MAX_NOTE_LENGTH = 4096

/** A note of the team on a conversation; the contact never sees it. */
export const Note = Type.Object(
  {
    id: Type.String(),
    conversationId: Type.String(),
    text: Type.String(),
    author: Type.Object(
      {
        id: Type.String({ description: 'Id da pessoa ou da chave de API' }),
        name: Nullable(Type.String({ description: 'E-mail da pessoa ou nome da chave' })),
      },
      { description: 'Quem escreveu' },
    ),
    createdAt: Timestamp,
  },
  {
    title: 'Note',
    examples: [
      {
        id: 'not_01jcqz3v8xf6k9m2n4p5r7s8t9',
        conversationId: 'cnv_01jcqz3v8xf6k9m2n4p5r7s8t9',
        text: 'Prefere retirar na loja.',
        author: { id: 'usr_01jcqz3v8xf6k9m2n4p5r7s8t9', name: 'bia@padaria.com.br' },
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type Note = Static<typeof Note>
/** A page of notes, newest first. */
export const NoteList = Page(Note, 'NoteList')
/** Pagination of the notes. */
export const ListNotesQuery = Type.Object(PageQuery)

/** Body that writes a note. */
export const NoteBody = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: MAX_NOTE_LENGTH }) },
  { additionalProperties: false },
)
export type NoteBody = Static<typeof NoteBody>
