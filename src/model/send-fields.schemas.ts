import { Type, type Static } from 'typebox'
import { OverPace } from './pace.schemas.ts'

/** The fields that every send has (G29). Titles make the reference describe each once. */
export const sendFields = {
  to: Type.Optional(
    Type.String({
      title: 'Recipient',
      description:
        'Telefone em qualquer notação, LID, grupo (`…@g.us`), canal (`…@newsletter`) ou `status@broadcast`. Sem DDI, vale o país do Projeto. Obrigatório sem `conversationId`',
      minLength: 1,
      maxLength: 100,
      examples: ['+55 11 99999-8888'],
    }),
  ),
  conversationId: Type.Optional(
    Type.String({
      title: 'TargetChat',
      description: 'No lugar de `to`: a conversa que recebe a mensagem',
      minLength: 1,
      maxLength: 100,
    }),
  ),
  quotedWaMessageId: Type.Optional(
    Type.String({
      title: 'QuotedMessage',
      description: 'O `waMessageId` da mensagem a que esta responde',
      minLength: 1,
      maxLength: 200,
    }),
  ),
  mentions: Type.Optional(
    Type.Array(Type.String({ maxLength: 40 }), {
      title: 'Mentions',
      description: 'Telefones citados no texto como `@número`',
      maxItems: 1024,
    }),
  ),
  delayMs: Type.Optional(
    Type.Integer({
      title: 'SendDelay',
      description: 'Quanto a mensagem, e as aceitas depois dela, esperam para sair',
      minimum: 0,
      maximum: 60_000,
    }),
  ),
  typingMs: Type.Optional(
    Type.Integer({
      title: 'TypingTime',
      description: 'Por quanto tempo mostrar “digitando…” antes (não na API oficial)',
      minimum: 0,
      maximum: 20_000,
    }),
  ),
  overPace: Type.Optional(OverPace),
  clientReference: Type.Optional(
    Type.String({
      title: 'ClientReference',
      description: 'Um id seu, que volta no registro e nos eventos da mensagem',
      maxLength: 128,
    }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
      title: 'Metadata',
      description: 'Textos seus, que voltam no registro da mensagem',
      maxProperties: 50,
    }),
  ),
}
const common = Type.Object(sendFields)
/** The fields that every send has. */
export type SendFields = Static<typeof common>
