import { Type } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Nullable } from '../../kernel/schemas.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { defineMessageKind } from '../define-message-kind.ts'

/** A poll, or a vote: then `waMessageId` identifies the poll and `selected` lists the chosen options. */
export const Poll = Type.Object(
  {
    waMessageId: Nullable(Type.String({ description: 'Num voto: a enquete' })),
    question: Nullable(Type.String()),
    options: Type.Array(Type.Object({ name: Type.String(), votes: Type.Integer() })),
    maxSelections: Nullable(Type.Integer({ description: '0: quantas quiser' })),
    selected: Type.Array(Type.String(), { description: 'Num voto: as opções escolhidas' }),
  },
  { title: 'Poll' },
)

/** A poll with 2 to 12 options. */
export const poll = defineMessageKind({
  name: 'poll',
  path: '/poll',
  summary: 'Enviar uma enquete',
  fields: {
    question: Type.String({ ...NOT_BLANK, maxLength: 255, examples: ['Que horas?'] }),
    options: Type.Array(Type.String({ ...NOT_BLANK, maxLength: 100 }), {
      minItems: 2,
      maxItems: 12,
      examples: [['9h', '14h']],
    }),
    maxSelections: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 12, default: 1, description: '0: quantas quiser' }),
    ),
  },
  toContent: ({ question, options, maxSelections = 1 }) => {
    if (new Set(options.map((option) => option.trim())).size < options.length) {
      throw fail('bad_request', (say) => say.messages.pollOptionsRepeated, { field: 'options' })
    }
    if (maxSelections > options.length) {
      throw fail('bad_request', (say) => say.http.tooLarge('maxSelections', options.length))
    }
    return { type: 'poll' as const, question, options, maxSelections }
  },
  example: { type: 'poll', question: 'Que horas?', options: ['9h', '14h'], maxSelections: 1 },
  textOf: (content) => content.question,
  shown: { poll: Nullable(Poll) },
  show: ({ question, options, maxSelections }) => ({
    poll: {
      waMessageId: null,
      question,
      options: options.map((name) => ({ name, votes: 0 })),
      maxSelections,
      selected: [],
    },
  }),
})
