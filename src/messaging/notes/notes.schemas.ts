import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const MAX_NOTE_LENGTH = 4096
const MAX_MENTIONS = 20

/** A note of the team on a conversation; the contact never sees it. */
export const Note = Type.Object(
  {
    id: Type.String(),
    conversationId: Type.String(),
    text: Type.String(),
    author: Type.Object(
      {
        id: Type.String({ description: 'Id da pessoa ou da chave de API' }),
        name: Nullable(
          Type.String({
            description: 'Nome da pessoa, ou o e-mail se ela não informou um; ou nome da chave',
          }),
        ),
      },
      { description: 'Quem escreveu' },
    ),
    mentions: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id da pessoa' }),
        name: Nullable(Type.String({ description: 'Nome da pessoa, ou o e-mail' })),
      }),
      { description: 'As pessoas da equipe mencionadas, que recebem um aviso no painel' },
    ),
    createdAt: Timestamp,
  },
  {
    title: 'Note',
    examples: [
      {
        id: 'not_01jcqz3v8xf6k9m2n4p5r7s8t9',
        conversationId: 'cnv_01jcqz3v8xf6k9m2n4p5r7s8t9',
        text: '@Leo Lima prefere retirar na loja.',
        author: { id: 'usr_01jcqz3v8xf6k9m2n4p5r7s8t9', name: 'Bia Souza' },
        mentions: [{ id: 'usr_01jcqz3v8xf6k9m2n4p5r7s8u0', name: 'Leo Lima' }],
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
  {
    text: Type.String({ ...NOT_BLANK, maxLength: MAX_NOTE_LENGTH }),
    mentions: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        maxItems: MAX_MENTIONS,
        description: 'Ids de pessoas da equipe que possam atender (veja `GET /v1/members`)',
      }),
    ),
  },
  { additionalProperties: false },
)
export type NoteBody = Static<typeof NoteBody>

/** A note that mentions the signed-in member and that they have not read, for the panel. */
const UnreadMention = Type.Object(
  {
    noteId: Type.String(),
    instanceId: Type.String(),
    conversationId: Type.String(),
    chatName: Nullable(Type.String({ description: 'Name of the contact or group' })),
    chatPhone: Nullable(Type.String()),
    text: Type.String(),
    author: Type.Object({ id: Type.String(), name: Nullable(Type.String()) }),
    createdAt: Timestamp,
  },
  { title: 'UnreadMention' },
)
/** The newest unread mentions, newest first. */
export const UnreadMentions = Type.Object({ items: Type.Array(UnreadMention) })
export type UnreadMentions = Static<typeof UnreadMentions>

/** Body that marks the notes of a conversation as read by the signed-in member. */
export const ReadMentionsBody = Type.Object(
  { conversationId: Type.String({ maxLength: 60 }) },
  { additionalProperties: false },
)
