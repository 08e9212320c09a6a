import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const MAX_SHORTCUT_LENGTH = 32
const MAX_TEXT_LENGTH = 4096

/** A ready-made reply of a Project; `shortcut` is what people type after a slash. */
export const QuickReply = Type.Object(
  {
    id: Type.String(),
    shortcut: Type.String(),
    text: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'QuickReply',
    examples: [
      {
        id: 'qrp_01jcqz3v8xf6k9m2n4p5r7s8t9',
        shortcut: 'horario',
        text: 'Oi, {{nome}}! Abrimos de segunda a sábado, das 8h às 18h.',
        createdAt: '2026-11-20T12:00:00.000Z',
        updatedAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type QuickReply = Static<typeof QuickReply>
/** A page of quick replies, by shortcut. */
export const QuickReplyList = Page(QuickReply, 'QuickReplyList')
/** Search and pagination of the quick replies. */
export const ListQuickRepliesQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Trecho do atalho ou do texto' })),
})
export type ListQuickRepliesQuery = Static<typeof ListQuickRepliesQuery>

const shortcut = Type.String({
  minLength: 1,
  maxLength: MAX_SHORTCUT_LENGTH,
  description: 'Letras, números, `-` e `_`. Maiúsculas viram minúsculas.',
})
const text = Type.String({
  ...NOT_BLANK,
  maxLength: MAX_TEXT_LENGTH,
  description: '`{{nome}}` e `{{telefone}}` são trocados no painel pelos dados do contato.',
})

/** Body that creates a quick reply. */
export const QuickReplyBody = Type.Object({ shortcut, text }, { additionalProperties: false })
export type QuickReplyBody = Static<typeof QuickReplyBody>
/** Body that changes a quick reply; at least one field is required. */
export const PatchQuickReplyBody = Type.Object(
  { shortcut: Type.Optional(shortcut), text: Type.Optional(text) },
  { additionalProperties: false },
)
export type PatchQuickReplyBody = Static<typeof PatchQuickReplyBody>
