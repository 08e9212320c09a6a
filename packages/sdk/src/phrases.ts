/** Sentences of errors that the SDK finds by itself, in Portuguese like the server's; apart, so that bundles shrink. */
export const calls = {
  noKey: 'apiKey: informe a chave inteira (svc_test_… ou svc_live_…)',
  noUrl: (url: string) => `baseUrl sem http:// ou https://: ${url}`,
  connection: (url: string, cause: string) =>
    /ENOTFOUND.*\.localhost/.test(cause)
      ? `este sistema não encontra ${url}: acrescente 127.0.0.1 sandbox.localhost a /etc/hosts (${cause})`
      : `sem conexão com ${url}: confira baseUrl e se o servidor está no ar (${cause})`,
  aborted: 'a chamada foi interrompida pelo signal',
  timeout: (url: string, ms: number) => `${url} não respondeu em ${ms} ms`,
  gateway: (url: string, status: number) =>
    `um proxy em ${url} respondeu ${status} no lugar do Recado: confira ambos`,
  uncertain: ({ message }: Error, idempotencyKey: string | null) => ({
    message: `${message}. A chamada pode ter sido feita: ${idempotencyKey === null ? 'confira antes de repeti-la' : 'repita-a com a idempotencyKey deste erro'}`,
    idempotencyKey,
  }),
  redirected: (url: string, target: string) =>
    `${url} redireciona para ${target === new URL(url).origin ? 'outra página, e não é o Recado: confira' : `${target}: use esse endereço em`} baseUrl`,
  foreign: (url: string, status: number) =>
    `${url} respondeu ${status}, e não é o Recado: confira baseUrl`,
}
export const events = {
  noWebSocket: 'passe na opção WebSocket um que envie cabeçalhos (no Node.js 20, o do pacote ws)',
  refused: (code: number, reason: string) => `o servidor recusou os eventos (${code}): ${reason}`,
}
export const webhooks = {
  badSignature: 'a assinatura não confere: use o corpo recebido, byte a byte, e o segredo dele',
  missingHeaders: 'faltam os cabeçalhos webhook-id, webhook-timestamp e webhook-signature',
  oldTimestamp: 'o horário da entrega está fora da tolerância: confira o relógio deste servidor',
  notJson: 'o corpo não é um evento do Recado',
  badSecret: 'informe o segredo do webhook inteiro, como veio na criação dele (whsec_…)',
}
