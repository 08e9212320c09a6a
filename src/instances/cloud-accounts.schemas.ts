import { Type, type Static } from 'typebox'
import { Nullable } from '../kernel/schemas.ts'

const MetaId = (description: string) =>
  Type.String({ pattern: '^\\d{5,30}$', maxLength: 30, description, examples: ['106540352242922'] })
const ids = {
  phoneNumberId: MetaId('O id do número na Meta, e não o número'),
  businessAccountId: MetaId('O id da conta do WhatsApp Business (WABA)'),
}

/** Body that connects an instance to the official API. */
export const CloudAccountBody = Type.Object(
  {
    ...ids,
    accessToken: Type.String({
      minLength: 20,
      maxLength: 1000,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'De um usuário do sistema, sem validade',
      examples: ['EAAGm0PX4ZCpsBAKZCqWlmZ'],
    }),
    appSecret: Type.String({
      pattern: '^[0-9a-f]{16,64}$',
      maxLength: 64,
      description: 'A chave secreta do aplicativo, que assina os webhooks',
      examples: ['0123456789abcdef0123456789abcdef'],
    }),
  },
  { additionalProperties: false },
)
export type CloudAccountBody = Static<typeof CloudAccountBody>

/** The account of an instance at Meta, without its secrets. */
export const CloudAccountView = Type.Object(
  {
    ...ids,
    webhook: Type.Object({
      url: Type.String(),
      verifyToken: Type.String(),
      configured: Nullable(
        Type.Boolean({
          description:
            'Se a Meta aceitou o endereço; `false`: informe os dois no painel da Meta. Nulo na consulta',
        }),
      ),
    }),
  },
  {
    title: 'CloudAccount',
    examples: [
      {
        phoneNumberId: '106540352242922',
        businessAccountId: '102290129340398',
        webhook: {
          url: 'https://recado.exemplo.com.br/cloud/ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
          verifyToken: 'b3f1c2…',
          configured: true,
        },
      },
    ],
  },
)
export type CloudAccountView = Static<typeof CloudAccountView>
