import { encodeWAMessage, proto, unpadRandomMax16, type BinaryNode } from 'baileys'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from 'baileys/lib/Signal/Group/index.js'
import { ProtocolAddress } from 'libsignal'
import type { Companion, Person } from './person.ts'
import { bytesOf, child, children, element, seconds, stanzaId } from './stanza.ts'
import type { World } from './world.ts'

export type Role = 'superadmin' | 'admin' | null
type Group = {
  id: string
  subject: string
  description: string | null
  creator: Person
  creation: string
  members: Map<Person, Role>
  /** Tags of the settings that are on, with the seconds of `ephemeral`. */
  settings: Map<string, string>
  code: string
  /** Who has asked to join, with the second of the request. */
  requests: Map<Person, string>
  /** The community that it is in. */
  parent: string | null
  /** Which name of theirs its members are addressed by. */
  addressing: 'pn' | 'lid'
}

export type Groups = ReturnType<typeof createGroups>
const FIRST_ID = 120_363_000_000_000_000n

/** Groups: who is in them, their keys, and what devices ask and change. */
export function createGroups(server: World) {
  const groups = new Map<string, Group>()
  /** Whose devices have asked which groups they are in. */
  const listed = new Set<Person>()
  /** Sender keys by phone. */
  const keys = new Map<Person, Map<string, string>>()

  /** Messages that members could not open: they have not been given the sender's key. */
  const unread: { id: string; member: Person }[] = []

  const storeOf = (person: Person) => {
    const known = keys.get(person) ?? new Map<string, string>()
    keys.set(person, known)
    return {
      loadSenderKey: async (name: SenderKeyName) => {
        const stored = known.get(name.toString())
        return stored ? SenderKeyRecord.deserialize(Buffer.from(stored)) : new SenderKeyRecord()
      },
      storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) => {
        known.set(name.toString(), JSON.stringify(record.serialize()))
      },
    }
  }
  const nameOf = (groupId: string, sender: string) =>
    new SenderKeyName(groupId, new ProtocolAddress(sender, 0))

  function toNode(group: Group): BinaryNode {
    const { id, subject, description, creator, creation, members, settings, addressing } = group
    const participants = [...members].map(([person, role]) => {
      const names =
        addressing === 'lid'
          ? { jid: person.lidJid, phone_number: person.jid }
          : { jid: person.jid, lid: person.lidJid }
      return element('participant', { ...names, type: role ?? undefined })
    })
    return element(
      'group',
      {
        id: id.split('@')[0],
        subject,
        creator: creator.jid,
        creation,
        addressing_mode: addressing,
        s_t: creation,
        s_o: creator.jid,
        size: String(members.size),
      },
      [
        ...(description === null
          ? []
          : [
              element('description', { id: 'd1' }, [element('body', {}, Buffer.from(description))]),
            ]),
        ...[...settings].map(([tag, expiration]) =>
          element(tag, tag === 'ephemeral' ? { expiration } : {}),
        ),
        ...(group.parent ? [element('linked_parent', { jid: group.parent })] : []),
        ...participants,
      ],
    )
  }

  /** Notifies all members' devices except the actor's. */
  function notify(group: Group, by: Person, change: BinaryNode, but: Companion | null): void {
    const id = stanzaId()
    const attrs = { id, type: 'w:gp2', from: group.id, participant: by.jid, t: seconds() }
    for (const member of group.members.keys()) {
      for (const device of member.companions.values()) {
        if (device !== but) device.push(element('notification', attrs, [change]))
      }
    }
  }

  function create(
    creator: Person,
    subject: string,
    others: Person[],
    but: Companion | null,
    addressing: Group['addressing'] = 'pn',
    { parent = null, tags = [] }: { parent?: string | null; tags?: string[] } = {},
  ) {
    const id = `${FIRST_ID + BigInt(groups.size)}@g.us`
    const members = new Map<Person, Role>([[creator, 'superadmin']])
    for (const other of others) members.set(other, null)
    const group: Group = {
      id,
      subject,
      description: null,
      creator,
      creation: seconds(),
      members,
      settings: new Map(tags.map((tag) => [tag, ''])),
      parent,
      requests: new Map(),
      code: `Convite${id.slice(0, 18)}`,
      addressing,
    }
    groups.set(id, group)
    notify(group, creator, element('create', {}, [toNode(group)]), but)
    return group
  }

  /** Turns a setting on or off. */
  function turn({ settings }: Group, { tag, attrs, content }: BinaryNode): void {
    if (tag === 'announcement' || tag === 'locked') settings.set(tag, '')
    if (tag === 'not_announcement') settings.delete('announcement')
    if (tag === 'unlocked') settings.delete('locked')
    if (tag === 'ephemeral') settings.set(tag, attrs['expiration'] ?? '')
    if (tag === 'not_ephemeral') settings.delete('ephemeral')
    const [join] = tag === 'membership_approval_mode' && Array.isArray(content) ? content : []
    if (join?.attrs['state'] === 'on') settings.set(tag, '')
    if (join?.attrs['state'] === 'off') settings.delete(tag)
  }

  function change(group: Group, by: Person, what: BinaryNode, but: Companion | null): BinaryNode[] {
    const jids = children(what).map(({ attrs }) => attrs['jid'] ?? '')
    const people = jids.flatMap((jid) => server.find(jid) ?? [])
    for (const person of people) {
      if (what.tag === 'remove') continue
      const roles: Record<string, Role> = { promote: 'admin', add: null, demote: null }
      if (what.tag in roles) group.members.set(person, roles[what.tag] ?? null)
    }
    turn(group, what)
    if (what.tag === 'subject') group.subject = bytesOf(what).toString()
    if (what.tag === 'description') {
      const body = child(what, 'body')
      group.description = body ? bytesOf(body).toString() : null
    }
    const told = what.tag === 'subject' ? element('subject', { subject: group.subject }) : what
    notify(group, by, told, but)
    for (const person of people) if (what.tag === 'remove') group.members.delete(person)
    return people.length > 0
      ? [
          element(
            what.tag,
            {},
            people.map(({ jid }) => element('participant', { jid })),
          ),
        ]
      : []
  }

  /** Tells a group that it is in a community now, or no longer, and the community itself. */
  function link(group: Group, parent: Group, by: Person, tag: 'link' | 'unlink'): void {
    group.parent = tag === 'link' ? parent.id : null
    const reason = tag === 'unlink' ? { unlink_reason: 'unlink_group' } : {}
    const named = ({ id, subject, creation }: Group) =>
      element('group', { jid: id, subject, creation })
    const change = (type: string, other: Group) =>
      element(tag, { [`${tag}_type`]: type, ...reason }, [named(other)])
    notify(group, by, change('parent_group', parent), null)
    notify(parent, by, change('sub_group', group), null)
  }

  /** A device joins by an invitation. */
  function join(companion: Companion, code: string): BinaryNode[] | string {
    const { person } = companion
    const group = [...groups.values()].find((one) => one.code === code)
    if (!group) return '404'
    if (group.settings.has('membership_approval_mode')) {
      group.requests.set(person, seconds())
      return []
    }
    const self = element('participant', { jid: person.jid })
    change(group, person, element('add', {}, [self]), companion)
    return [element('group', { jid: group.id })]
  }

  const nameIn = ({ addressing }: Group, person: Person) =>
    addressing === 'lid'
      ? { jid: person.lidJid, phone_number: person.jid }
      : { jid: person.jid, lid: person.lidJid }

  /** An admin answers requests to join: an error for each person who has not asked. */
  function answerRequests(
    group: Group,
    by: Person,
    what: BinaryNode,
    but: Companion,
  ): BinaryNode[] {
    const answers = children(what).flatMap((action) => {
      const told = children(action).map(({ attrs: { jid = '' } }) => {
        const person = server.find(jid)
        if (!person || !group.requests.delete(person))
          return element('participant', { jid, error: '404' })
        if (action.tag === 'approve')
          change(group, by, element('add', {}, [element('participant', { jid })]), but)
        return element('participant', { jid })
      })
      return [element(action.tag, {}, told)]
    })
    return [element('membership_requests_action', {}, answers)]
  }

  return {
    listed,
    unread,
    codeOf: (groupId: string) => groups.get(groupId)?.code ?? '',
    /** A user asks on their phone to join the group that a code invites to. */
    askToJoin(person: Person, code: string): void {
      const group = [...groups.values()].find((one) => one.code === code)
      group?.requests.set(person, seconds())
    },
    /** Whether a person is in a group and may send this: in some only admins write, and in a community no one. */
    mayWrite(groupId: string, person: Person, type: string | undefined): boolean {
      const { members, settings } = groups.get(groupId) ?? {}
      if (!members?.has(person) || settings?.has('parent')) return false
      return members.get(person) !== null || !settings?.has('announcement') || type === 'reaction'
    },
    has: (groupId: string, person: Person) => groups.get(groupId)?.members.has(person) ?? false,

    /** A user creates a group on their phone. */
    create: (
      creator: Person,
      subject: string,
      others: Person[],
      addressing: Group['addressing'] = 'pn',
    ) => create(creator, subject, others, null, addressing).id,

    /** A user forms a community of groups on their phone; returns its id. */
    formCommunity(creator: Person, subject: string, groupIds: string[]): string {
      const inside = groupIds.flatMap((id) => groups.get(id) ?? [])
      const others = new Set(inside.flatMap(({ members }) => [...members.keys()]))
      others.delete(creator)
      const parent = create(creator, subject, [...others], null, 'pn', { tags: ['parent'] })
      const tags = ['announcement', 'default_sub_group']
      create(creator, subject, [...others], null, 'pn', { parent: parent.id, tags })
      for (const group of inside) link(group, parent, creator, 'link')
      return parent.id
    },
    /** A user takes a group out of a community. */
    release(by: Person, groupId: string, communityId: string): void {
      const [group, parent] = [groups.get(groupId), groups.get(communityId)]
      if (group && parent) link(group, parent, by, 'unlink')
    },

    /** How a member is named in a group, and the other name that stanzas carry. */
    namesIn: (groupId: string, person: Person) =>
      groups.get(groupId)?.addressing === 'lid'
        ? { participant: person.lidJid, participant_pn: person.jid, addressing_mode: 'lid' }
        : { participant: person.jid, participant_lid: person.lidJid, addressing_mode: 'pn' },

    change(groupId: string, by: Person, what: BinaryNode): void {
      const group = groups.get(groupId)
      if (group) change(group, by, what, null)
    },

    /** A phone receives the key with which a device writes in a group. */
    async learn(sender: Companion, telephone: Person, message: proto.IMessage): Promise<void> {
      const told = message.senderKeyDistributionMessage
      const bytes = told?.axolotlSenderKeyDistributionMessage
      if (!told?.groupId || !bytes) return
      const builder = new GroupSessionBuilder(storeOf(telephone))
      const key = new SenderKeyDistributionMessage(null, null, null, null, Buffer.from(bytes))
      await builder.process(nameOf(told.groupId, sender.address), key)
    },

    /**
     * The phone of every member, or of those who see a status post, decrypts a message of a device; returns
     * the people who received it for the first time.
     */
    async open(
      sender: Companion,
      node: BinaryNode,
      bytes: Buffer,
      audience?: Set<Person>,
    ): Promise<Person[]> {
      const { id = '', to = '' } = node.attrs
      const reached: Person[] = []
      for (const member of audience ?? groups.get(to)?.members.keys() ?? []) {
        const cipher = new GroupCipher(storeOf(member), nameOf(to, sender.address))
        const opened = await cipher.decrypt(bytes).catch(() => null)
        if (!opened) {
          unread.push({ id, member })
          continue
        }
        const padded = Buffer.from(opened)
        const message = proto.Message.decode(unpadRandomMax16(padded))
        const shown = { waMessageId: id, chat: to, from: sender.person, message }
        if (member === sender.person) member.take(shown, member.sent)
        else if (member.take(shown)) reached.push(member)
      }
      return reached
    },

    /** A contact writes in a group: the key for each device, then the message for all. */
    async seal(from: Person, groupId: string, message: proto.IMessage) {
      const store = storeOf(from)
      const name = nameOf(groupId, `${from.phone}:0`)
      const key = await new GroupSessionBuilder(store).create(name)
      const plaintext = Buffer.from(encodeWAMessage(message))
      const sealed = Buffer.from(await new GroupCipher(store, name).encrypt(plaintext))
      const axolotlSenderKeyDistributionMessage = Buffer.from(key.serialize())
      return {
        key: { senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage } },
        sealed,
        members: [...(groups.get(groupId)?.members.keys() ?? [])].filter((one) => one !== from),
      }
    },

    /** What a device asks and changes. A string is the code of a refusal. */
    async answer(
      companion: Companion | null,
      node: BinaryNode,
      name: string,
    ): Promise<BinaryNode['content'] | string | null> {
      const [first] = children(node)
      if (!companion || !first || !name.startsWith('w:g2 ')) return null
      const { person } = companion
      if (name === 'w:g2 get participating') {
        listed.add(person)
        const mine = [...groups.values()].filter(({ members }) => members.has(person))
        return [element('groups', {}, mine.map(toNode))]
      }
      if (name === 'w:g2 set create') {
        const others = children(first).flatMap(({ attrs }) => server.find(attrs['jid'] ?? '') ?? [])
        const made = create(person, first.attrs['subject'] ?? '', others, companion)
        return [toNode(made)]
      }
      if (name === 'w:g2 set leave') {
        const left = groups.get(child(first, 'group')?.attrs['id'] ?? '')
        if (!left) return '404'
        const self = element('participant', { jid: person.jid })
        change(left, person, element('remove', {}, [self]), companion)
        return []
      }
      const code = name === 'w:g2 set invite' ? first.attrs['code'] : undefined
      if (code !== undefined) return join(companion, code)
      const group = groups.get(node.attrs['to'] ?? '')
      if (!group) return '404'
      if (!group.members.has(person)) return '403'
      if (name === 'w:g2 get query') return [toNode(group)]
      if (!group.members.get(person)) return '401'
      if (name === 'w:g2 set invite') group.code = `Outro${stanzaId().padStart(12, '0')}`
      if (first.tag === 'membership_approval_requests')
        return [
          element(
            first.tag,
            {},
            [...group.requests].map(([asking, at]) =>
              element('membership_approval_request', {
                ...nameIn(group, asking),
                request_time: at,
              }),
            ),
          ),
        ]
      if (first.tag === 'membership_requests_action')
        return answerRequests(group, person, first, companion)
      if (name.endsWith(' invite')) return [element('invite', { code: group.code })]
      return change(group, person, first, companion)
    },
  }
}
