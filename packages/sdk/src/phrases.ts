/** Sentences of errors that the SDK finds by itself, in Portuguese like the server's; apart, so that bundles shrink. */
export const calls = {
  noKey: 'apiKey: informe a chave de API (svc_test_… ou svc_live_…)',
  connection: (url: string, cause: string) =>
    `sem conexão com ${url}: confira baseUrl e se o servidor está no ar (${cause})`,
  timeout: (url: string, ms: number) => `${url} não respondeu em ${ms} ms`,
  gateway: (url: string, status: number) =>
    `um proxy em ${url} respondeu ${status}, sem alcançar o Recado: confira se o servidor está no ar e o endereço que o proxy usa`,
  redirected: (url: string, target: string) =>
    `${url} redireciona para ${target}: use esse endereço em baseUrl`,
  notJson: (url: string, status: number) =>
    `${url} respondeu ${status} sem JSON: confira se baseUrl aponta para o Recado`,
}
export const events = {
  noWebSocket: 'o WebSocket deste ambiente não envia cabeçalhos: passe outro na opção WebSocket',
  refused: (code: number, reason: string) => `o servidor recusou os eventos (${code}): ${reason}`,
}
export const webhooks = {
  badSignature: 'a assinatura não confere: use o corpo recebido, byte a byte, e o segredo dele',
  missingHeaders: 'faltam os cabeçalhos webhook-id, webhook-timestamp e webhook-signature',
  oldTimestamp: 'o horário da entrega está fora da tolerância: confira o relógio deste servidor',
  badSecret: 'o segredo do webhook começa com whsec_',
}
