import { Type } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { defineMessageKind } from '../define-message-kind.ts'

/** A text, with an optional link preview. */
export const text = defineMessageKind({
  name: 'text',
  path: '/text',
  summary: 'Enviar um texto',
  fields: {
    text: Type.String({ ...NOT_BLANK, maxLength: 65_536, examples: ['Olá *Ana*'] }),
    linkPreview: Type.Optional(
      Type.Boolean({ default: true, description: 'Mostrar a prévia do primeiro link' }),
    ),
  },
  toContent: (body) => ({
    type: 'text' as const,
    text: body.text,
    ...(body.linkPreview === false ? { linkPreview: false } : {}),
  }),
  example: { type: 'text', text: 'olá 🌎 \u202eרגיל' },
  textOf: (content) => content.text,
})
