import { Type, type Static } from 'typebox'
import { Nullable, Words } from '../kernel/schemas.ts'
import { TEMPLATE_CATEGORIES } from './vocabulary.ts'

/** The language of a template for which none is given. */
export const DEFAULT_LANGUAGE = 'pt_BR'
/** The template names that Meta accepts. */
export const TEMPLATE_NAME = { minLength: 1, maxLength: 512, pattern: '^[a-z0-9_]+$' }
/** A language, optionally with a country. */
export const TemplateLanguage = Type.String({
  pattern: '^[a-z]{2,3}(_[A-Z]{2,3})?$',
  maxLength: 7,
  default: DEFAULT_LANGUAGE,
})

/** One of `TEMPLATE_CATEGORIES`. */
const TemplateCategory = Words(TEMPLATE_CATEGORIES)
const Variables = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  maxItems: 100,
  description: 'Um exemplo para cada variável do corpo',
})

/** A template of an account on the official API; only an approved one can be sent. */
export const MessageTemplate = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    category: Type.String(),
    status: Type.String({ description: 'APPROVED, PENDING, REJECTED, PAUSED ou DISABLED' }),
    body: Nullable(Type.String({ description: 'Com as variáveis {{1}}, {{2}}…' })),
    header: Nullable(Type.String()),
    footer: Nullable(Type.String()),
    buttons: Type.Array(Type.Object({ type: Type.String(), text: Type.String() })),
    rejectedReason: Nullable(Type.String()),
  },
  {
    title: 'MessageTemplate',
    examples: [
      {
        name: 'pedido_enviado',
        language: 'pt_BR',
        category: 'UTILITY',
        status: 'APPROVED',
        body: 'Oi, {{1}}! O pedido {{2}} saiu para entrega.',
        header: null,
        footer: null,
        buttons: [],
        rejectedReason: null,
      },
    ],
  },
)
export type MessageTemplate = Static<typeof MessageTemplate>

/** Body of the request that submits a template for approval. */
export const TemplateBody = Type.Object(
  {
    name: Type.String(TEMPLATE_NAME),
    language: Type.Optional(TemplateLanguage),
    category: TemplateCategory,
    body: Type.String({ minLength: 1, maxLength: 1024 }),
    header: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    footer: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    variables: Type.Optional(Variables),
  },
  { additionalProperties: false },
)
export type TemplateBody = Static<typeof TemplateBody>
