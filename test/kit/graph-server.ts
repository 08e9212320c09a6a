// A fake of Meta's Graph API for the WhatsApp Cloud API, after its public documentation.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

const VERSION = '/v23.0'
type Json = Record<string, unknown>

/** A message that a number sent, as it was posted, and the bytes of its file. */
export type PostedMessage = { wamid: string; body: Json; file: Buffer | null }

/** A number of a business account, as Meta knows it. */
export type MetaNumber = {
  phoneNumberId: string
  businessAccountId: string
  phone: string
  name: string
  accessToken: string
  appSecret: string
  posted: PostedMessage[]
  blocked: Set<string>
  templates: Json[]
  /** Ids of messages that were marked as read. */
  read: string[]
  subscribed: boolean
  /** Where webhooks go, once Meta has verified the address. */
  callback: string | null
}

/** How the server answers the next posts of messages instead of accepting them. */
export type PostFault =
  | { code: number; status?: number }
  /** Accepts the message and closes the connection without an answer. */
  | 'lost answer'
  /** A page of a gateway. */
  | 'gateway'

/** Starts the fake. Numbers whose last digits are 0003 are not on WhatsApp. */
export async function startGraphServer() {
  const numbers = new Map<string, MetaNumber>()
  const files = new Map<string, { bytes: Buffer; mimeType: string }>()
  const faults: PostFault[] = []
  /** What Meta writes instead of a number as it is typed. */
  const spellings = new Map<string, string>()
  /** Ports of servers of this machine, by the host name in their address. */
  const ports = new Map<string, number>()
  let made = 0

  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500).end(JSON.stringify({ error: { code: 1, message: String(error) } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** How Meta writes a number; one without a plus sign is one of the sender's country. */
  function waIdOf(to: unknown): string {
    const [, plus = '', digits = ''] = /^(\+?)(\d+)$/.exec(String(to)) ?? []
    return plus === '' ? `55${digits}` : (spellings.get(digits) ?? digits)
  }

  const send = (outgoing: ServerResponse, body: object, status = 200) =>
    void outgoing
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  const reject = (outgoing: ServerResponse, code: number, status = 400) =>
    send(outgoing, { error: { code, message: `fake error ${code}`, fbtrace_id: 'x' } }, status)

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const bytes = Buffer.concat(await incoming.toArray())
    const { pathname, searchParams } = new URL(incoming.url ?? '', url)
    if (pathname.startsWith('/file/')) {
      if (!incoming.headers['user-agent']) return reject(outgoing, 0, 403)
      const file = files.get(pathname.slice('/file/'.length))
      return file ? void outgoing.end(file.bytes) : reject(outgoing, 100, 404)
    }
    const [id = '', edge = ''] = pathname.slice(VERSION.length + 1).split('/')
    const token = incoming.headers.authorization?.replace('Bearer ', '')
    const mine = [...numbers.values()].filter(({ accessToken }) => accessToken === token)
    if (mine.length === 0) return reject(outgoing, 190, 401)
    const number = mine.find((one) => one.phoneNumberId === id)
    const account = mine.find((one) => one.businessAccountId === id)
    const method = incoming.method ?? ''
    if (files.has(id)) {
      const { mimeType } = files.get(id) ?? {}
      return send(outgoing, { id, url: `${url}/file/${id}`, mime_type: mimeType })
    }
    if (number && edge === '' && method === 'GET') {
      const proof = searchParams.get('appsecret_proof')
      const right = createHmac('sha256', number.appSecret).update(number.accessToken).digest('hex')
      if (proof !== null && proof !== right) return reject(outgoing, 100)
      return send(outgoing, {
        id,
        display_phone_number: `+${number.phone.slice(0, 2)} ${number.phone.slice(2)}`,
        verified_name: number.name,
        ...(searchParams.get('fields') === 'webhook_configuration'
          ? { webhook_configuration: { phone_number: number.callback ?? undefined } }
          : {}),
      })
    }
    if (number && edge === 'media') {
      const type = incoming.headers['content-type'] ?? ''
      const form = await new Response(new Uint8Array(bytes), {
        headers: { 'content-type': type },
      }).formData()
      const file = form.get('file')
      if (!(file instanceof File)) return reject(outgoing, 100)
      const mediaId = addFile(Buffer.from(await file.arrayBuffer()), file.type)
      return send(outgoing, { id: mediaId })
    }
    const body = (bytes.length > 0 ? JSON.parse(bytes.toString()) : {}) as Json
    if (number && edge === '' && method === 'POST') return direct(number, body, outgoing)
    if (number && edge === 'messages') return post(number, body, outgoing)
    if (number && edge === 'block_users') return block(number, method, body, outgoing)
    if (account && edge === 'phone_numbers')
      return send(outgoing, { data: [{ id: account.phoneNumberId }] })
    if (account && edge === 'subscribed_apps') {
      account.subscribed = true
      return send(outgoing, { success: true })
    }
    if (account && edge === 'message_templates')
      return manageTemplates(account, method, searchParams, body, outgoing)
    return reject(outgoing, 100, 404)
  }

  async function direct(number: MetaNumber, body: Json, outgoing: ServerResponse): Promise<void> {
    const { override_callback_uri: address = '', verify_token: token = '' } = body[
      'webhook_configuration'
    ] as Record<string, string>
    if (address === '') {
      number.callback = null
      return send(outgoing, { success: true })
    }
    const { host, pathname } = new URL(address)
    const port = ports.get(host)
    if (!port) return reject(outgoing, 100)
    const query = `hub.mode=subscribe&hub.challenge=1234&hub.verify_token=${token}`
    const { statusCode, body: echoed } = await request(
      `http://127.0.0.1:${port}${pathname}?${query}`,
      { headers: { host } },
    )
    if (statusCode !== 200 || (await echoed.text()) !== '1234') return reject(outgoing, 100)
    number.callback = address
    return send(outgoing, { success: true })
  }

  function post(number: MetaNumber, body: Json, outgoing: ServerResponse): void {
    if (body['status'] === 'read') {
      number.read.push(String(body['message_id']))
      return send(outgoing, { success: true })
    }
    const fault = faults.shift()
    if (fault === 'gateway') return void outgoing.writeHead(502).end('<h1>Bad Gateway</h1>')
    if (fault && fault !== 'lost answer') return reject(outgoing, fault.code, fault.status)
    const type = String(body['type'])
    const part = body[type] as Json | undefined
    const file = files.get(String(part?.['id']))
    const wamid = `wamid.${randomBytes(12).toString('base64url')}`
    number.posted.push({ wamid, body, file: file?.bytes ?? null })
    if (fault === 'lost answer') return void outgoing.destroy()
    send(outgoing, {
      messaging_product: 'whatsapp',
      contacts: [{ input: body['to'], wa_id: waIdOf(body['to']) }],
      messages: [{ id: wamid, message_status: 'accepted' }],
    })
  }

  function block(number: MetaNumber, method: string, body: Json, outgoing: ServerResponse): void {
    const users = ((body['block_users'] ?? []) as { user: string }[]).map(({ user }) =>
      waIdOf(user),
    )
    for (const user of users) {
      if (method === 'POST') number.blocked.add(user)
      else number.blocked.delete(user)
    }
    const data = [...number.blocked].map((phone) => ({
      messaging_product: 'whatsapp',
      wa_id: phone,
    }))
    send(outgoing, method === 'GET' ? { data } : { success: true })
  }

  function manageTemplates(
    account: MetaNumber,
    method: string,
    query: URLSearchParams,
    body: Json,
    outgoing: ServerResponse,
  ): void {
    if (method === 'GET') return send(outgoing, { data: account.templates })
    const name = query.get('name') ?? body['name']
    const known = account.templates.filter((one) => one['name'] === name)
    if (method === 'DELETE') {
      if (known.length === 0) return reject(outgoing, 100)
      account.templates = account.templates.filter((one) => one['name'] !== name)
      return send(outgoing, { success: true })
    }
    if (known.some((one) => one['language'] === body['language'])) return reject(outgoing, 100)
    account.templates.push({ ...body, status: 'PENDING', rejected_reason: 'NONE' })
    send(outgoing, { id: '1', status: 'PENDING', category: body['category'] })
  }

  function addFile(bytes: Buffer, mimeType: string): string {
    const id = String(900_000 + files.size)
    files.set(id, { bytes, mimeType })
    return id
  }

  /** The body of a webhook of a number, with its signature. */
  function sign(number: MetaNumber, value: Json, secret = number.appSecret) {
    const { phoneNumberId, businessAccountId, phone } = number
    const payload = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: businessAccountId,
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: phone, phone_number_id: phoneNumberId },
                ...value,
              },
            },
          ],
        },
      ],
    }
    const body = JSON.stringify(payload)
    return { payload, body, headers: signatureOf(body, secret) }
  }

  return {
    /** For `CLOUD_API_URL`. */
    url: url + VERSION,
    faults,
    spellings,
    ports,
    sign,
    addFile,
    /** Registers a number of a business account of its own. */
    number(phone: string, name = 'Loja'): MetaNumber {
      const index = ++made
      const number: MetaNumber = {
        phoneNumberId: String(106_540_000_000 + index),
        businessAccountId: String(102_290_000_000 + index),
        phone,
        name,
        accessToken: `EAAG${randomBytes(20).toString('hex')}`,
        appSecret: randomBytes(16).toString('hex'),
        posted: [],
        blocked: new Set(),
        templates: [],
        read: [],
        subscribed: false,
        callback: null,
      }
      numbers.set(number.phoneNumberId, number)
      return number
    },
    /** What a webhook says of a message that a person wrote. */
    incoming(from: string, message: Json, name = 'Ana', at = Date.now()): Json {
      const id = `wamid.${randomBytes(12).toString('base64url')}`
      const timestamp = String(Math.floor(at / 1000))
      return {
        contacts: [{ profile: { name }, wa_id: from }],
        messages: [{ from, id, timestamp, ...message }],
      }
    },
    /** What a webhook says of a message that the number sent. */
    status({ wamid, body }: PostedMessage, status: string, code: number | null = null): Json {
      return {
        statuses: [
          {
            id: wamid,
            status,
            timestamp: String(Math.floor(Date.now() / 1000)),
            recipient_id: waIdOf(body['to']),
            biz_opaque_callback_data: body['biz_opaque_callback_data'],
            ...(code === null ? {} : { errors: [{ code, title: 'fake' }] }),
          },
        ],
      }
    },
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A running fake of the Graph API. */
export type GraphServer = Awaited<ReturnType<typeof startGraphServer>>

/** The header with which Meta signs the bytes of a webhook. */
export const signatureOf = (bytes: string | Buffer, secret: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
})

/** The hash that a webhook names of a file. */
export const webhookHash = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('base64')
