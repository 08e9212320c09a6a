// `npm run tour`: runs the user journey against a running server, from sign-up to a read message.
import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Recado } from '../packages/sdk/src/index.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { readEnv } from '../src/kernel/config/env.ts'

const config = parseConfig(readEnv())
const SANDBOX = new URL(config.sandboxUrl).host
const PANEL = new URL(config.panelUrl).host
const WAIT_MS = 15_000

type Json = Record<string, unknown>
type Answer = { status: number; body: Json; headers: Record<string, string> }

const bold = (text: string) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text)
const dim = (text: string) => (process.stdout.isTTY ? `\x1b[2m${text}\x1b[0m` : text)
const print = (text: string) => process.stdout.write(`${text}\n`)
let steps = 0

function step(title: string): void {
  print(`\n${bold(`${++steps}. ${title}`)}`)
}

/** Truncates long strings and omits null fields, to keep the output readable. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 72 ? `${value.slice(0, 69)}…` : value
  if (Array.isArray(value)) return value.map(shorten)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(kept.map(([key, item]) => [key, shorten(item)]))
}

function indent(value: unknown): string {
  return JSON.stringify(shorten(value), null, 2).replaceAll('\n', '\n   ')
}

/** Connects to 127.0.0.1 with the host in the header, because not every system resolves *.localhost. */
function dial(method: string, host: string, path: string, headers: Json, body?: unknown) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return httpRequest({
    host: '127.0.0.1',
    port: config.port,
    method,
    path,
    headers: {
      host,
      ...(text
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        : {}),
      ...(headers as Record<string, string>),
    },
  }).end(text)
}

async function read(method: string, host: string, path: string, headers: Json, body?: unknown) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = dial(method, host, path, headers, body)
    outgoing.once('error', reject)
    outgoing.once('response', async (incoming) => {
      const chunks = await incoming.toArray()
      const text = Buffer.concat(chunks).toString()
      resolve({
        status: incoming.statusCode ?? 0,
        body: text ? (JSON.parse(text) as Json) : {},
        headers: { 'x-request-id': String(incoming.headers['x-request-id']) },
      })
    })
  })
}

/** Sends a request, and prints it and its response. */
async function printed(method: string, host: string, path: string, headers: Json, body?: unknown) {
  print(`   → ${method} http://${host}${path}`)
  if (headers['authorization'])
    print(dim(`     Authorization: ${JSON.stringify(headers['authorization'])}`))
  if (body !== undefined) print(`   ${indent(body)}`)
  const answer = await read(method, host, path, headers, body)
  print(`   ← ${answer.status} ${indent(answer.body)}`)
  return answer
}

/** Calls a route without the SDK, before there is a key. Throws on a status of 300 or above. */
async function call(method: string, host: string, path: string, headers: Json, body?: unknown) {
  const { status, body: answer } = await printed(method, host, path, headers, body)
  if (status >= 300) throw new Error(`a etapa respondeu ${status}`)
  return answer
}

/** While true, requests are not printed: those that only wait for something would hide the others. */
let quiet = false

/** The `fetch` of the SDK: connects as `dial` does, and prints the request and its response. */
async function printedFetch(request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url)
  const text = await request.text()
  const body: unknown = text ? JSON.parse(text) : undefined
  const headers = Object.fromEntries(request.headers)
  const send = quiet ? read : printed
  const answer = await send(request.method, host, `${pathname}${search}`, headers, body)
  return Response.json(answer.body, answer)
}

async function waitFor<T>(
  what: string,
  look: () => Promise<T | null | undefined> | T | null,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`demorou demais: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function findMail(email: string): string | null {
  const dir = join(config.dataDir, 'mail')
  for (const name of readdirSync(dir)
    .filter((file) => file.endsWith('.eml'))
    .toSorted()
    .toReversed()) {
    const text = readFileSync(join(dir, name), 'utf8')
    if (!text.includes(email)) continue
    const plain = text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
    return /https?:\/\/\S+token=(\S+)/.exec(plain)?.[1] ?? null
  }
  return null
}

/** Follows the QR stream: prints each event, calls `onCode` with the first code, and resolves when connected. */
function followQr(path: string, onCode: (code: string) => Promise<unknown>): Promise<void> {
  print(`   → GET http://${SANDBOX}${String(shorten(path))}`)
  return new Promise((resolve, reject) => {
    const outgoing = dial('GET', SANDBOX, path, {})
    const late = () => new Error('demorou demais: a conexão pelo código QR')
    outgoing.setTimeout(WAIT_MS, () => outgoing.destroy(late()))
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      let text = ''
      let scanned = false
      incoming.once('end', () => reject(late()))
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const [, event = '', data = '{}'] =
            /event: (\w+)\ndata: (.*)/.exec(text.slice(0, end)) ?? []
          text = text.slice(end + 2)
          const value = JSON.parse(data) as Json
          print(`   ← event: ${event}  data: ${JSON.stringify(shorten(value))}`)
          if (event === 'qr' && !scanned) {
            scanned = true
            onCode(String(value['code'])).catch(reject)
          }
          if (event === 'status' && value['status'] === 'CONNECTED') {
            outgoing.destroy()
            resolve()
          }
        }
      })
    })
  })
}

async function tour(): Promise<void> {
  const email = `tour-${Date.now()}@empresa.com.br`
  const password = 'uma senha bem longa'

  print(dim('Valores longos aparecem cortados, e campos nulos são omitidos.'))
  step('Criar a conta no painel')
  const company = { company: 'Padaria Pão Quente', taxId: '11.222.333/0001-81', email, password }
  await call('POST', PANEL, '/panel/api/signup', {}, company)

  step('Confirmar o e-mail')
  const token = await waitFor('o e-mail de confirmação', () => findMail(email))
  print(dim(`   o e-mail está em ${join(config.dataDir, 'mail')}`))
  await call('POST', PANEL, '/panel/api/confirm-email', {}, { token })

  step('Entrar')
  const wanted = { 'x-token-response': 'body' }
  const tokens = await call('POST', SANDBOX, '/v1/auth/login', wanted, { email, password })
  const user = { authorization: `Bearer ${String(tokens['accessToken'])}` }

  step('Criar uma chave de teste')
  const created = await call('POST', SANDBOX, '/v1/keys', user, { name: 'Tour' })
  // From here on with the SDK, as a program of yours would.
  const recado = new Recado({
    apiKey: String(created['key']),
    baseUrl: config.sandboxUrl,
    fetch: printedFetch,
  })
  const { instances, messages, simulator, webhooks } = recado

  step('Criar uma instância')
  const instance = await instances.create({ name: 'Atendimento' })

  step('Criar um telefone virtual: aqui ninguém precisa de um celular')
  const phone = await simulator.phones.create({ name: 'Padaria' })
  const client = await simulator.phones.create({ name: 'Ana' })

  step('Seguir o QR e ler o código com o telefone')
  const qr = await instances.createQrToken(instance.id)
  await followQr(`/v1/instances/${instance.id}/qr?token=${qr.token}`, (code) =>
    simulator.phones.scan(phone.id, { code }),
  )

  step('Registrar um webhook, que entrega em uma caixa de teste')
  const inbox = await simulator.inboxes.create({ name: 'Tour' })
  const webhook = await webhooks.create({ name: 'Tour', url: inbox.url })

  const arrived = (event: string, status?: string) =>
    waitFor(`o evento ${event}`, async () => {
      quiet = true
      const { items } = await simulator.inboxes
        .requests(inbox.id)
        .page()
        .finally(() => (quiet = false))
      return items.find(({ body }) => {
        const envelope = JSON.parse(body) as { event: string; data: Json }
        return envelope.event === event && (!status || envelope.data['status'] === status)
      })
    })
  const show = async (event: string, status?: string) => {
    const { headers, body } = await arrived(event, status)
    // Throws if the signature does not match.
    const envelope = await webhooks.verify(body, headers, webhook.secret)
    print(`   ← entrega ${indent(envelope)}`)
    print('   ✔ a assinatura confere')
  }

  step('Ana escreve para a padaria, e o evento chega assinado')
  await simulator.phones.send(client.id, { to: phone.phone, text: 'Oi, tem pão quente?' })
  await show('message.received')

  step('Responder pela API')
  const sent = await messages.sendText(instance.id, {
    to: client.phone,
    text: 'Tem sim, *saindo agora*!',
  })
  await show('message.status', 'delivered')

  step('O telefone da Ana tem a mensagem; ela lê')
  await simulator.phones.inbox(client.id, { limit: 1 })
  await simulator.phones.read(client.id, { waMessageIds: [sent.waMessageId] })
  await show('message.status', 'read')

  step('Conferir a mensagem e as entregas')
  await messages.get(instance.id, sent.id)
  await webhooks.deliveries(webhook.id).page()
  print(`\n${bold('Pronto: a jornada inteira funcionou.')}\n`)
}

tour().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  const away = code === 'ECONNREFUSED'
  const why = error instanceof Error ? error.message : String(error)
  process.stderr.write(
    away
      ? `\nNão há servidor na porta ${config.port}. Em outro terminal, rode: npm start\n`
      : `\nO tour parou: ${why}\n`,
  )
  process.exitCode = 1
})
