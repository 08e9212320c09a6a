import { Type } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'
import { defineMessageKind } from '../define-message-kind.ts'
import { Poll } from './poll.ts'

/** A vote on a poll. Only contacts vote: the API has no route for it. */
export const pollVote = defineMessageKind({
  name: 'pollVote',
  path: null,
  summary: 'Votar em uma enquete',
  fields: {
    waMessageId: Type.String({ minLength: 1, maxLength: 200 }),
    options: Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 12,
      description: 'Vazio retira o voto',
    }),
  },
  toContent: ({ waMessageId, options }) => ({
    type: 'pollVote' as const,
    waMessageId,
    options: [...new Set(options)],
  }),
  example: null,
  textOf: ({ options }) => options.join(', '),
  shown: { poll: Nullable(Poll) },
  show: ({ waMessageId, options: selected }) => ({
    poll: { waMessageId, question: null, options: [], maxSelections: null, selected },
  }),
  target: { of: (content) => content.waMessageId, type: 'poll' },
  silent: true,
})
