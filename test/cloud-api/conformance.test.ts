import { createHash } from 'node:crypto'
import { after } from 'node:test'
import { buffer } from 'node:stream/consumers'
import { Agent } from 'undici'
import { startGraphServer, webhookHash, type GraphServer } from '../kit/graph-server.ts'
import { createSystemClock } from '../../src/kernel/clock.ts'
import { createPendingWork } from '../../src/kernel/pending-work.ts'
import type { MessageContent } from '../../src/model/kinds/index.ts'
import { saveAccount } from '../../src/networks/cloud-api/account.ts'
import { CLOUD_API_CAPABILITIES, createCloudApi } from '../../src/networks/cloud-api/cloud-api.ts'
import { decodeMessage } from '../../src/networks/cloud-api/decode.ts'
import {
  createMemoryCredentials,
  createRecordingListener,
  describeNetwork,
  exampleFile,
  type ConformanceAccount,
} from '../../src/networks/conformance.ts'

const CONTACT = '5511988887777'
const UNKNOWN = '5511988880003'
let started: Promise<GraphServer> | undefined
const dispatcher = new Agent()
const sessions: { close(): Promise<void> }[] = []
after(async () => {
  for (const session of sessions) await session.close()
  ;(await started)?.close()
  await dispatcher.destroy()
})

const unsupported = async (): Promise<never> => {
  throw new Error('the Cloud API does not have this')
}

type Json = Record<string, unknown>

/** What a webhook says of a message with this content. */
async function toIncoming(server: GraphServer, content: MessageContent): Promise<Json> {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.text } }
    case 'location':
      return { type: 'location', location: content }
    case 'contact':
      return {
        type: 'contacts',
        contacts: content.contacts.map(({ name, phones, organization, emails }) => ({
          name: { formatted_name: name },
          phones: phones.map(({ phone, label }) => ({
            phone: `+${phone}`,
            wa_id: phone,
            type: label,
          })),
          org: { company: organization },
          emails: emails.map((email) => ({ email })),
        })),
      }
    default: {
      const { mimeType, fileName, open } = exampleFile()
      const bytes = await buffer(await open())
      const file = {
        id: server.addFile(bytes, mimeType),
        mime_type: mimeType,
        sha256: webhookHash(bytes),
        filename: fileName,
        ...('caption' in content && content.caption !== null ? { caption: content.caption } : {}),
        ...('voice' in content ? { voice: content.voice } : {}),
      }
      return { type: content.type, [content.type]: file }
    }
  }
}

/** The content of a posted message, read as the webhook of its recipient would be. */
function toContent(body: Json): MessageContent {
  if (body['type'] === 'template') {
    const {
      name,
      language,
      components = [],
    } = body['template'] as {
      name: string
      language: { code: string }
      components?: { parameters: { text: string }[] }[]
    }
    const variables = components.flatMap(({ parameters }) => parameters.map(({ text }) => text))
    return { type: 'template', name, language: language.code, variables, header: null, buttons: [] }
  }
  const message = { ...body, id: 'wamid.x', from: CONTACT, timestamp: '1' }
  const decoded = decodeMessage(message, new Map(), { of: (id) => id })
  if (!decoded) throw new Error(`cannot read ${JSON.stringify(body)}`)
  return decoded.content as MessageContent
}

describeNetwork('cloud_api', CLOUD_API_CAPABILITIES, async (): Promise<ConformanceAccount> => {
  const server = await (started ??= startGraphServer())
  const activity = createPendingWork()
  const errors: unknown[] = []
  const network = createCloudApi({
    clock: createSystemClock(),
    activity,
    dispatcher,
    baseUrl: new URL(server.url),
    callbackUrl: (id) => `http://recado.test/cloud/${id}`,
    onError: (error) => void errors.push(error),
  })
  const number = server.number('551130000000')
  const credentials = createMemoryCredentials()
  const { phoneNumberId, businessAccountId, accessToken, appSecret } = number
  const verifyToken = 'confere'
  const { reportedEvents: reported, listener } = createRecordingListener()
  const settings = {
    proxyUrl: null,
    rejectCalls: false,
    downloadMedia: true,
    historySync: 'none' as const,
  }
  const account = {
    instanceId: `ins_${phoneNumberId}`,
    projectId: 'prj',
    mode: 'production' as const,
    credentials,
    settings,
  }
  await saveAccount(credentials, {
    phoneNumberId,
    businessAccountId,
    accessToken,
    appSecret,
    verifyToken,
  })
  let closed = false
  let waiting: Json[] = []

  /** Delivers what waits, as Meta does until the webhook is accepted. */
  async function deliver(): Promise<void> {
    if (closed) return
    const now = waiting
    waiting = []
    for (const value of now)
      await opened.session.receive({ payload: server.sign(number, value).payload })
  }
  async function tell(value: Json): Promise<void> {
    waiting.push(value)
    await deliver()
  }
  async function whenConnected(): Promise<void> {
    const end = performance.now() + 5000
    while (reported.statuses.at(-1)?.status !== 'CONNECTED') {
      if (performance.now() > end)
        throw new Error(`not connected: ${errors.map(String).join('; ')}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  /** The statuses that Meta reports of what has been posted since. */
  let told = 0
  async function tellStatuses(): Promise<void> {
    for (const message of number.posted.slice(told)) {
      told++
      if (message.body['to'] === `+${UNKNOWN}`)
        await tell(server.status(message, 'failed', 131_026))
      else for (const status of ['sent', 'delivered']) await tell(server.status(message, status))
    }
  }
  const posted = (waMessageId: string) => {
    const found = number.posted.find(({ body }) => body['biz_opaque_callback_data'] === waMessageId)
    if (!found) throw new Error(`message ${waMessageId} was not posted`)
    return found
  }
  const opened: ConformanceAccount = {
    session: network.open(account, listener),
    reported,
    credentials,
    phone: number.phone,
    contact: { phone: CONTACT, chatId: `${CONTACT}@s.whatsapp.net` },
    unknownPhone: UNKNOWN,
    // The account is set before; there is nothing to scan.
    scan: whenConnected,
    async contactWrites(text) {
      if (number.blocked.has(CONTACT)) return
      const late = closed ? Date.now() - 5000 : Date.now() + 1000
      await tell(server.incoming(CONTACT, { type: 'text', text: { body: text } }, 'Ana', late))
    },
    contactViews: async () => {},
    contactReads: async (ids) => {
      for (const id of ids) await tell(server.status(posted(id), 'read'))
    },
    contactSends: async (content) =>
      tell(server.incoming(CONTACT, await toIncoming(server, content), 'Ana', Date.now() + 1000)),
    async contactReceived() {
      return number.posted.map(({ body, file }) => ({
        waMessageId: String(body['biz_opaque_callback_data']),
        content: toContent(body),
        sha256: file && createHash('sha256').update(file).digest('hex'),
        deleted: false,
        pinned: false,
      }))
    },
    async reopen() {
      await opened.session.close()
      opened.session = network.open(account, listener)
      closed = false
      reported.statuses.length = 0
      await whenConnected()
      await deliver()
    },
    async whenIdle() {
      await tellStatuses()
    },
    contactWroteBefore: unsupported,
    contactEdits: unsupported,
    contactRevokes: unsupported,
    contactPins: unsupported,
    contactKeeps: unsupported,
    phoneStars: unsupported,
    isStarredOnPhone: unsupported,
    contactRenames: unsupported,
    contactChangesDevice: unsupported,
    contactShows: unsupported,
    contactCalls: unsupported,
    contactCreatesGroup: unsupported,
    contactWritesTo: unsupported,
    contactFormsCommunity: unsupported,
    contactReleases: unsupported,
    contactInvites: unsupported,
    contactAsksToJoin: unsupported,
    contactSilences: unsupported,
    removeDevice: unsupported,
  }
  const { close } = opened.session
  opened.session.close = async () => {
    closed = true
    await close()
  }
  sessions.push({ close: () => opened.session.close() })
  return opened
})
