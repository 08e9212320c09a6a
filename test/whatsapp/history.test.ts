// What a phone shares from before the pairing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { startWhatsApp, type Account, type WhatsAppKit } from '../kit/whatsapp.ts'
import { shareHistory, type HistoryPart } from '../kit/whatsapp-server/history.ts'

const { FULL, RECENT, INITIAL_BOOTSTRAP } = proto.Message.HistorySyncType

let kit: WhatsAppKit
before(async () => {
  kit = await startWhatsApp()
})
after(() => kit.close())

let made = 0
/** A message of the past. */
function past(
  remoteJid: string,
  text: string,
  more: Partial<proto.IWebMessageInfo> = {},
  fromMe = false,
): proto.IWebMessageInfo {
  made++
  const key = { remoteJid, fromMe, id: `3APAST${made}` }
  return { key, message: { conversation: text }, messageTimestamp: 1_700_000_000 + made, ...more }
}

function deviceOf({ own }: Account) {
  const [device] = own.companions.values()
  assert.ok(device)
  return device
}

/** The phone shares a part, which is imported. */
async function share(account: Account, part: HistoryPart): Promise<void> {
  await shareHistory(kit.server, deviceOf(account), part)
  await settle(account)
}

async function settle({ credentials }: Account): Promise<void> {
  await kit.quiet()
  while ((await credentials.load('history')).size > 0)
    await new Promise((resolve) => setImmediate(resolve))
}

const textsOf = ({ heard }: Account) =>
  heard.history.map(({ content }) => 'text' in content && content.text)

describe('history on WhatsApp', () => {
  it('history on WhatsApp has messages of both sides with their status, in groups with their author, and today’s names', async () => {
    const account = await kit.paired()
    const { ana, own, heard } = account
    const group = kit.server.groups.create(ana, 'Obras', [own])
    await kit.quiet()
    heard.happenings.length = 0
    const inGroup = past(group, 'no grupo', { participant: ana.jid })
    await share(account, {
      chats: {
        [ana.jid]: [
          past(ana.jid, 'oi', { pushName: 'Aninha', starred: true }),
          past(ana.jid, 'olá', { status: proto.WebMessageInfo.Status.READ }, true),
        ],
        [group]: [inGroup],
      },
      names: { [ana.jid]: 'Ana Maria' },
    })
    assert.deepEqual(
      heard.history.map(({ chatId, fromMe, status, sender: { phone, name } }) => [
        chatId,
        fromMe,
        status,
        phone,
        name,
      ]),
      [
        [ana.jid, false, 'received', ana.phone, null],
        [ana.jid, true, 'read', own.phone, null],
        [group, false, 'received', ana.phone, null],
      ],
    )
    assert.deepEqual(
      heard.history.map(({ starred }) => starred),
      [true, false, false],
    )
    const names = heard.happenings.flatMap((one) => (one.kind === 'contact' ? one.party.name : []))
    assert.deepEqual(names, ['Ana Maria'])
  })

  it('history on WhatsApp has what the settings ask for: recent parts, and not all that the phone has', async () => {
    const account = await kit.paired()
    const { jid } = account.ana
    for (const type of [INITIAL_BOOTSTRAP, FULL, RECENT]) {
      const text = proto.Message.HistorySyncType[type]
      await share(account, { type, chats: { [jid]: [past(jid, text)] }, inline: type === RECENT })
    }
    assert.deepEqual(textsOf(account), ['INITIAL_BOOTSTRAP', 'RECENT'])
  })

  it('history on WhatsApp is imported by the next session if the one before ended', async () => {
    const account = await kit.paired()
    const { jid } = account.ana
    await shareHistory(kit.server, deviceOf(account), { chats: { [jid]: [past(jid, 'um')] } })
    await kit.until(() => textsOf(account).length > 0, 'the import')
    await settle(account)
    // As stored by a process that died before it had imported the part.
    await account.session.close()
    const part = { chats: { [jid]: [past(jid, 'dois')] } }
    let stored: Map<string, Buffer> | null = null
    const { credentials } = account
    const save = credentials.save.bind(credentials)
    credentials.save = async (entries) => {
      await save(entries)
      const added = entries.some(({ kind, value }) => kind === 'history' && value)
      if (added) stored = new Map(await credentials.load('history'))
    }
    await account.reopen()
    await share(account, part)
    await account.session.close()
    account.heard.history.length = 0
    assert.ok(stored)
    for (const [id, value] of stored as Map<string, Buffer>)
      await save([{ kind: 'history', id, value }])
    await account.reopen()
    await settle(account)
    assert.deepEqual(textsOf(account), ['dois'])
  })

  it('history on WhatsApp has a file whose sender claims an impossible size, without the size', async () => {
    const account = await kit.paired()
    const { jid } = account.ana
    const imageMessage = { mediaKey: Buffer.alloc(32), width: 2 ** 32 - 1, height: 20 }
    await share(account, { chats: { [jid]: [past(jid, '', { message: { imageMessage } })] } })
    const [image] = account.heard.history
    assert.deepEqual([image?.media?.width, image?.media?.height], [null, 20])
  })

  it('history on WhatsApp is accepted only from the account’s own phone', async () => {
    const account = await kit.paired()
    const { ana, own } = account
    const foreign = proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.RECENT,
    }).finish()
    await kit.server.messages.write(ana, own, {
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
        historySyncNotification: { syncType: RECENT, initialHistBootstrapInlinePayload: foreign },
      },
    })
    await kit.quiet()
    assert.equal((await account.credentials.load('history')).size, 0)
    assert.deepEqual(textsOf(account), [])
  })

  it('history on WhatsApp continues with the next part if the file of one is missing', async () => {
    const account = await kit.paired()
    const { jid } = account.ana
    const { files } = kit.server.media
    const lost = { chats: { [jid]: [past(jid, 'perdida')] } }
    const take = files.set.bind(files)
    // The host never has the file.
    files.set = (path, bytes) => (path.startsWith('/v/history/') ? files : take(path, bytes))
    await shareHistory(kit.server, deviceOf(account), lost)
    files.set = take
    await settle(account)
    await share(account, { chats: { [jid]: [past(jid, 'achada')] } })
    assert.deepEqual(textsOf(account), ['achada'])
    kit.errors.length = 0
  })
})
