import { Type } from 'typebox'
import { defineMessageKind } from '../define-message-kind.ts'
import { DEFAULT_LANGUAGE, TEMPLATE_NAME, TemplateLanguage } from '../templates.schemas.ts'
import { Words } from '../../kernel/schemas.ts'

const closed = { additionalProperties: false }
const Value = Type.String({ minLength: 1, maxLength: 1024 })

/** The variable part of a button: the end of its link, a quick reply's payload, or a code to copy. */
const TemplateButton = Type.Object(
  {
    index: Type.Integer({ minimum: 0, maximum: 9 }),
    type: Words(['url', 'quick_reply', 'copy_code']),
    value: Type.String({ minLength: 1, maxLength: 2000 }),
  },
  closed,
)

/** An approved template of the official API, and the values of its variables. */
const TemplateSend = Type.Object(
  {
    name: Type.String({ ...TEMPLATE_NAME, examples: ['pedido_enviado'] }),
    language: Type.Optional(TemplateLanguage),
    variables: Type.Optional(
      Type.Array(Value, { maxItems: 100, description: 'As do corpo, na ordem' }),
    ),
    header: Type.Optional(
      Type.Object(
        {
          text: Type.Optional(Value),
          media: Type.Optional(Words(['image', 'video', 'document'])),
          url: Type.Optional(
            Type.String({ maxLength: 2048, pattern: '^https://', description: 'Do arquivo' }),
          ),
        },
        closed,
      ),
    ),
    buttons: Type.Optional(Type.Array(TemplateButton, { maxItems: 10 })),
  },
  { ...closed, title: 'TemplateSend' },
)

/** A template, with which a company starts a conversation on the official API. */
export const template = defineMessageKind({
  name: 'template',
  path: '/template',
  summary: 'Enviar um modelo aprovado (API oficial)',
  fields: { template: TemplateSend },
  toContent: ({
    template: { name, language = DEFAULT_LANGUAGE, variables = [], header, buttons = [] },
  }) => ({
    type: 'template' as const,
    name,
    language,
    variables,
    header: header ?? null,
    buttons,
  }),
  example: {
    type: 'template',
    name: 'pedido_enviado',
    language: 'pt_BR',
    variables: ['Ana', '123'],
    header: null,
    buttons: [],
  },
  textOf: ({ name, variables }) =>
    variables.length > 0 ? `${name}: ${variables.join(' · ')}` : name,
})
