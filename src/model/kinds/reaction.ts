import { Type } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'
import { defineMessageKind } from '../define-message-kind.ts'

/** An emoji is a flag, a keycap, or a sequence of joined pictographs with modifiers. */
const PICTURE =
  '\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?\\ufe0f?[\\u{e0020}-\\u{e007f}]*'
const EMOJI = `\\p{Regional_Indicator}{2}|[0-9#*]\\ufe0f?\\u20e3|${PICTURE}(\\u200d${PICTURE})*`

/** A reaction to a message; an empty emoji removes it. */
export const reaction = defineMessageKind({
  name: 'reaction',
  path: '/reaction',
  summary: 'Reagir a uma mensagem',
  fields: {
    waMessageId: Type.String({
      description: 'A mensagem que recebe a reação',
      minLength: 1,
      maxLength: 200,
    }),
    emoji: Type.String({
      title: 'Emoji',
      maxLength: 32,
      // One emoji, however many code points it is made of, or nothing.
      pattern: `^(${EMOJI})?$`,
      description: 'Vazio retira a reação',
      examples: ['👍'],
    }),
  },
  toContent: ({ waMessageId, emoji }) => ({ type: 'reaction' as const, waMessageId, emoji }),
  example: null,
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
