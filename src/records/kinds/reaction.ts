import { Type } from 'typebox'
import { Nullable } from '../../http/answers.ts'
import { defineMessageKind } from '../define-message-kind.ts'

export const reaction = defineMessageKind({
  name: 'reaction',
  path: '/reaction',
  summary: 'Reagir a uma mensagem',
  fields: {
    waMessageId: Type.String({ minLength: 1, maxLength: 200 }),
    emoji: Type.String({
      maxLength: 32,
      // One emoji, however many code points it is made of, or nothing.
      pattern: '^([\\p{Extended_Pictographic}\\p{Emoji_Component}\\u200d\\ufe0f]+)?$',
      description: 'Vazio retira a reação',
      examples: ['👍'],
    }),
  },
  toContent: ({ waMessageId, emoji }) => ({ type: 'reaction' as const, waMessageId, emoji }),
  textOf: (content) => content.emoji,
  shown: {
    reaction: Nullable(
      Type.Object(
        {
          waMessageId: Type.String({ description: 'A mensagem que recebeu a reação' }),
          emoji: Type.String({ description: 'Vazio: a reação foi retirada' }),
        },
        { title: 'Reaction' },
      ),
    ),
  },
  show: ({ waMessageId, emoji }) => ({ reaction: { waMessageId, emoji } }),
  target: { of: (content) => content.waMessageId, type: null },
  silent: true,
})
