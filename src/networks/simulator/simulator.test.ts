import { after } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/kit/test-app.ts'
import { createDueWatch } from '../../platform/db/due-watch.ts'
import { createLocalTopics } from '../../platform/bus/local-topics.ts'
import { newId } from '../../kernel/ids.ts'
import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import {
  createRecordingListener,
  createMemoryCredentials,
  describeNetwork,
  exampleFile,
  type ConformanceAccount,
} from '../conformance.ts'
import { createSimulator, SIMULATOR_CAPABILITIES } from './simulator.ts'
import type { PhoneMessageDraft } from '../virtual-phones.port.ts'

let started: Promise<TestApp> | undefined
after(async () => (await started)?.close())

describeNetwork('simulator', SIMULATOR_CAPABILITIES, async (): Promise<ConformanceAccount> => {
  const kit = await (started ??= startTestApp())
  const { db, clock } = kit
  const { activity } = kit.app
  const onError = (error: unknown) => {
    throw error
  }
  const bus = createLocalTopics(onError)
  const dueWatch = createDueWatch({ db, clock, activity, onError })
  const files = { open: () => exampleFile().open() }
  const simulated = createSimulator({ db, clock, activity, bus, dueWatch, files, onError })
  const { network: simulator, phones } = simulated
  const { projectId } = await kit.project()
  const scope = { projectId, mode: 'test' as const }
  const make = async (name: string) => {
    const input = { name, phone: null, business: false, most: 10 }
    const phone = await phones.create(db, scope, input)
    if (typeof phone === 'string') throw new Error(phone)
    return phone
  }
  const [own, contact] = [await make('Loja'), await make('Ana')]
  const credentials = createMemoryCredentials()
  const account = {
    instanceId: newId('ins', clock.now()),
    ...scope,
    credentials,
    settings: {
      proxyUrl: null,
      rejectCalls: false,
      downloadMedia: true,
      historySync: 'recent' as const,
    },
  }
  const write = (content: MessageContent): PhoneMessageDraft => {
    const { open: _, ...facts } = exampleFile()
    const media = kindNamed(content.type)?.media ? facts : null
    return { to: own.phone, content, media, quotedWaMessageId: null, mentions: [] }
  }
  // The row of the file that all media messages carry, as the media module stores it.
  const { id, mimeType, fileName, sizeBytes, sha256 } = exampleFile()
  await db.system`
    insert into media (id, project_id, mode, status, mime_type, file_name, size_bytes, sha256, created_at, expires_at)
    values (${id}, ${projectId}, 'test', 'available', ${mimeType}, ${fileName}, ${sizeBytes}, ${sha256}, now(), now())
    on conflict do nothing`
  const { reportedEvents: events, listener } = createRecordingListener()
  const opened: ConformanceAccount = {
    session: simulator.open(account, listener),
    reported: events,
    credentials,
    phone: own.phone,
    contact: { phone: contact.phone, chatId: `${contact.phone}@s.whatsapp.net` },
    unknownPhone: '5511988880003',
    scan: async (code) => void (await phones.scan(db, scope, own, code)),
    contactWrites: async (text) =>
      void (await phones.sendMessage(db, scope, contact, write({ type: 'text', text }))),
    async contactWroteBefore(texts) {
      for (const text of texts) {
        clock.jump(1000)
        await phones.sendMessage(db, scope, contact, write({ type: 'text', text }))
      }
    },
    contactReads: async (ids) => void (await phones.markRead(db, scope, contact, ids)),
    contactViews: async (id) => void (await phones.markRead(db, scope, contact, [id])),
    contactSends: async (content) =>
      void (await phones.sendMessage(db, scope, contact, write(content))),
    contactEdits: async (id, said) =>
      void (await phones.changeMessage(db, scope, contact, id, { text: said })),
    contactRevokes: async (id) =>
      void (await phones.changeMessage(db, scope, contact, id, 'deleted')),
    contactPins: async (id) =>
      void (await phones.markMessage(db, scope, contact, id, { kind: 'pinned', seconds: 86_400 })),
    contactKeeps: async (id) =>
      void (await phones.markMessage(db, scope, contact, id, { kind: 'kept', kept: true })),
    phoneStars: async (id, starred) =>
      void (await phones.markMessage(db, scope, own, id, { kind: 'starred', starred })),
    isStarredOnPhone: async (id) => (await phones.getMessage(db, scope, own, id))?.starred ?? false,
    contactRenames: (name) => phones.changeProfile(db, scope, contact, { name }),
    contactChangesDevice: () => phones.setState(db, scope, contact, 'new-device'),
    contactShows: (profile) => phones.changeProfile(db, scope, contact, profile),
    contactCalls: async () => void (await phones.call(db, scope, contact, own.phone, false)),
    async contactCreatesGroup(subject) {
      const input = { subject, description: null, participants: [own.phone] }
      return (await phones.createGroup(db, scope, contact, input)).groupId
    },
    contactFormsCommunity: async (subject, groupIds) =>
      (await phones.createCommunity(db, scope, contact, { subject, groupIds })).groupId,
    contactReleases: async (groupId) =>
      void (await phones.moveGroup(db, scope, contact, { groupId, communityId: null })),
    contactInvites: async (groupId) => (await phones.groupInvite(db, scope, contact, groupId)).code,
    contactAsksToJoin: async (code) => void (await phones.joinGroup(db, scope, contact, code)),
    async contactSilences(groupId) {
      const settings = { onlyAdminsSend: true }
      await phones.changeGroup(db, scope, contact, { groupId, settings })
    },
    contactWritesTo: async (to, text) =>
      void (await phones.sendMessage(db, scope, contact, { ...write({ type: 'text', text }), to })),
    async contactReceived() {
      const rows = await phones.listInbox(db, scope, contact, 100, 0)
      return rows.toReversed().map(({ waMessageId, content, media, deletedAt, pinnedUntil }) => ({
        waMessageId,
        content,
        deleted: deletedAt !== null,
        pinned: pinnedUntil !== null,
        sha256: media?.sha256 ?? null,
      }))
    },
    removeDevice: () => phones.unpair(db, scope, own),
    async reopen() {
      await opened.session.close()
      clock.jump(1)
      opened.session = simulator.open(account, listener)
    },
    whenIdle: () => activity.idle(),
  }
  return opened
})
