/** Texts of the API reference about parameters and headers. */
const INSTANCE = 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9'
const id = (prefix: string) => `${prefix}_01jcqz3v8xf6k9m2n4p5r7s8t9`

/** The `id` of a path, by the collection that it belongs to. */
export const ids: Record<string, { description: string; example: string }> = {
  keys: { description: 'Id da chave', example: id('key') },
  instances: { description: 'Id da instância', example: INSTANCE },
  conversations: { description: 'Id da conversa', example: id('cnv') },
  campaigns: { description: 'Id da campanha', example: id('cmp') },
  webhooks: { description: 'Id do webhook', example: id('whk') },
  'quick-replies': { description: 'Id da resposta rápida', example: id('qrp') },
  phones: { description: 'Id do telefone virtual', example: id('phn') },
  inboxes: { description: 'Id da caixa de teste', example: id('box') },
}

/** Parameters by name. A route may replace the description. */
export const parameters: Record<string, { description: string; example: unknown }> = {
  'x-token-response': {
    description: '`body` devolve os tokens no corpo em vez de cookies',
    example: 'body',
  },
  'Idempotency-Key': {
    description:
      'Texto único por operação, de 1 a 255 caracteres ASCII. Repetida em 24 horas com o mesmo corpo, devolve a mesma resposta sem executar de novo; com outro corpo, 409.',
    example: 'pedido-1042',
  },
  format: { description: '`svg` ou `png`', example: 'png' },
  limit: { description: 'Quantos itens por página', example: 50 },
  offset: { description: 'Quantos itens pular desde o início', example: 0 },
  from: { description: 'Primeiro dia, AAAA-MM-DD', example: '2026-11-01' },
  to: { description: 'Último dia, inclusive, AAAA-MM-DD', example: '2026-11-20' },
  token: { description: 'Chave de API ou token efêmero de `createQrToken`', example: id('qrt') },
  conversationId: { description: 'Id da conversa', example: id('cnv') },
  direction: { description: 'Recebidas ou enviadas', example: 'inbound' },
  type: { description: 'Só este tipo', example: 'text' },
  status: { description: 'Só este status', example: 'delivered' },
  clientReference: { description: 'A referência que você deu ao enviar', example: 'pedido-1042' },
  since: { description: 'A partir deste instante, ISO 8601', example: '2026-11-20T12:00:00.000Z' },
  until: { description: 'Antes deste instante, ISO 8601', example: '2026-11-21T12:00:00.000Z' },
  q: { description: 'Texto a procurar', example: 'ana' },
  event: { description: 'Só este evento', example: 'message.received' },
  outcome: { description: 'Só tentativas com este resultado', example: 'failed' },
  before: { description: 'O cursor `before` da página anterior', example: id('req') },
  result: { description: 'Só com este resultado', example: 'failed' },
  keyId: { description: 'Só desta chave', example: id('key') },
  name: { description: 'Nome do modelo', example: 'pedido_enviado' },
  messageId: { description: 'Id da mensagem', example: id('msg') },
  unread: { description: 'Só com mensagens não lidas', example: true },
  awaitingReply: {
    description: 'Só aquelas em que o contato espera resposta, ou só as outras',
    example: true,
  },
  archived: { description: 'Só arquivadas, ou só as outras', example: false },
  pinned: { description: 'Só fixadas, ou só as outras', example: true },
  labelId: { description: 'Id da etiqueta', example: id('lab') },
  noteId: { description: 'Id da nota', example: id('not') },
  assigneeId: {
    description: 'Id de quem atende, ou `none` para sem responsável',
    example: 'none',
  },
  contactId: { description: 'Telefone ou LID do contato', example: '5511999998888' },
  phone: { description: 'Telefone ou LID', example: '5511999998888' },
  groupId: { description: 'Id do grupo', example: '120363012345678901@g.us' },
  scheduleId: { description: 'Id da mensagem agendada', example: id('sch') },
  callId: { description: 'Id da chamada na rede', example: '3EB0C767D097B7C7C8A1' },
  waMessageId: { description: 'Id da mensagem na rede', example: '3EB0C767D097B7C7C8A1' },
  chat: { description: 'Número ou id do grupo', example: '5511999998888' },
  instanceId: { description: 'Só desta instância', example: INSTANCE },
  days: { description: 'Quantos dias até hoje, no horário de São Paulo', example: 30 },
  origin: { description: 'Só o que partiu daqui', example: 'panel' },
  events: {
    description: 'Só estes eventos, separados por vírgula',
    example: 'message.received,message.status',
  },
  'X-Service-Event': { description: 'O nome do evento', example: 'message.received' },
  'X-Service-Webhook-Id': { description: 'Id do webhook', example: id('whk') },
  'X-Service-Signature': {
    description: 'HMAC-SHA256 do corpo, byte a byte, com o segredo inteiro como chave',
    example: 'sha256=0f1a5e9c7d3b2846ac1e90d8f7b65432c0ffee11223344556677889900aabbcc',
  },
  'X-Service-Signature-Next': {
    description: 'Enquanto um segredo é trocado: a mesma assinatura com o segredo novo',
    example: 'sha256=9c7d3b2846ac1e90d8f7b65432c0ffee11223344556677889900aabbcc0f1a5e',
  },
  'webhook-id': {
    description: 'Id do evento, o mesmo em toda tentativa: serve para descartar repetições',
    example: id('evt'),
  },
  'webhook-timestamp': {
    description: 'Quando a tentativa partiu, em segundos desde 1970',
    example: '1763640000',
  },
  'webhook-signature': {
    description:
      'Assinatura do Standard Webhooks de `webhook-id.webhook-timestamp.corpo`; durante uma troca de segredo são duas, separadas por espaço',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}
