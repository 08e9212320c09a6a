import { Curve, generateSignalPubKey, type BinaryNode } from 'baileys'
import type { Groups } from './groups.ts'
import type { Companion, Person } from './person.ts'
import { answerProfileQuery } from './profiles.ts'
import type { Bundle } from './signal-device.ts'
import {
  bigEndian,
  bytesOf,
  child,
  children,
  element,
  numberOf,
  readJid,
  seconds,
} from './stanza.ts'
import type { Connection, World } from './world.ts'

/** A string is the code of a rejection; null marks an unknown query. */
type Answer = BinaryNode['content'] | string | null

/** The answer to a query; null for one that this server does not know. */
export async function answerQuery(
  server: World,
  groups: Groups,
  connection: Connection,
  node: BinaryNode,
): Promise<BinaryNode | null> {
  const { id, to, xmlns = '', type = '' } = node.attrs
  const [first] = children(node)
  const { companion } = connection
  const name = `${xmlns} ${type} ${first?.tag ?? ''}`
  const content =
    server.faults.refuseQuery(name) ?? (await answer(server, groups, companion, node, name))
  if (content === null) return null
  if (typeof content === 'string') {
    const error = element('error', { code: content, text: 'refused' })
    return element('iq', { type: 'error', id, from: to }, [error])
  }
  return element('iq', { type: 'result', id, from: to ?? 's.whatsapp.net' }, content)
}

async function answer(
  server: World,
  groups: Groups,
  companion: Companion | null,
  node: BinaryNode,
  name: string,
): Promise<Answer> {
  const [first] = children(node)
  switch (name) {
    case 'encrypt get count':
      return [element('count', { value: String(companion?.preKeys.length ?? 0) })]
    case 'encrypt set registration':
      if (companion) upload(companion, node)
      return []
    case 'encrypt get digest':
      return [element('digest', {}, Buffer.alloc(20))]
    case 'encrypt get key':
      server.keyQueries++
      if (server.faults.refuseKeys) return server.faults.refuseKeys
      return [
        element(
          'list',
          {},
          children(first).map((user) => handOut(server, user)),
        ),
      ]
    case 'passive set active':
      // The backlog follows the answer.
      setImmediate(() => {
        companion?.drain()
        if (!companion) return
        companion.current = true
        if (companion.knowsLists) return
        companion.knowsLists = true
        void server.appState.share(companion.person, companion)
      })
      return []
    case 'w:sync:app:state set sync':
      return companion ? server.appState.answer(companion, node) : '401'
    case 'passive set passive':
      return []
    case 'usync get usync':
      return first ? [lookUp(server, first)] : []
    case 'abt get props':
    case 'w get props':
      return [element('props', { protocol: '2', hash: 'h' })]
    case 'blocklist get ':
      return [element('list', {}, blockedBy(companion))]
    case 'blocklist set item': {
      const blocked = server.find(first?.attrs['jid'] ?? '')
      if (!blocked || !companion) return '404'
      if (first?.attrs['action'] === 'block') companion.person.blocked.add(blocked)
      else companion.person.blocked.delete(blocked)
      return []
    }
    case 'privacy get privacy': {
      const all = { readreceipts: 'all', last: 'all' }
      const categories = Object.entries(all).map(([key, value]) =>
        element('category', { name: key, value }),
      )
      return [element('privacy', {}, categories)]
    }
    case 'status get privacy': {
      const { statusPrivacy } = companion?.person ?? {}
      if (!statusPrivacy) return '404'
      const users = statusPrivacy.people.map(({ jid }) => element('user', { jid }))
      const list = element('list', { type: statusPrivacy.type, default: 'true' }, users)
      return [element('privacy', {}, [list])]
    }
    case 'privacy set tokens':
      return [element('tokens')]
    case 'w:p get ping':
    case 'w:stats set add':
    case 'w:stats  add':
      return []
    case 'w:m set media_conn': {
      const host = element('host', { hostname: server.media.hostname })
      return [element('media_conn', { auth: 'auth', ttl: '3600', max_buckets: '12' }, [host])]
    }
    case 'w:mex get query':
      return [element('result', {}, Buffer.from(JSON.stringify({ data: timeLock(server) })))]
    case 'md set remove-companion-device':
      if (companion) {
        companion.removed = true
        companion.person.companions.delete(companion.device)
      }
      return []
    default:
      return (
        answerProfileQuery(server, groups, companion, node, name) ??
        groups.answer(companion, node, name)
      )
  }
}

const blockedBy = (companion: Companion | null): BinaryNode[] =>
  [...(companion?.person.blocked ?? [])].map(({ lidJid }) => element('item', { jid: lidJid }))

function timeLock({ faults }: World): object {
  const { timeLock: end } = faults
  if (end === null) return { xwa2_fetch_account_reachout_timelock: { is_active: false } }
  const lock = { is_active: true, time_enforcement_ends: String(end), enforcement_type: 'DEFAULT' }
  return { xwa2_fetch_account_reachout_timelock: lock }
}

/** A device's keys: the first time, and more of them later. */
function upload(companion: Companion, node: BinaryNode): void {
  const signed = child(node, 'skey')
  companion.registrationId = numberOf(child(node, 'registration'))
  companion.signedPreKey = {
    id: numberOf(child(signed, 'id')),
    key: bytesOf(child(signed, 'value')),
    signature: bytesOf(child(signed, 'signature')),
  }
  for (const key of children(child(node, 'list'))) {
    companion.preKeys.push({ id: numberOf(child(key, 'id')), key: bytesOf(child(key, 'value')) })
  }
}

/** The keys of one device, with a one-time key that is given out once. */
function handOut(server: World, user: BinaryNode): BinaryNode {
  const jid = user.attrs['jid'] ?? ''
  const person = server.find(jid)
  const { device } = readJid(jid)
  const fault = person && server.faults.spoilKeys(person)
  if (fault && /^\d/.test(fault)) {
    return element('user', { jid }, [element('error', { code: fault })])
  }
  const owner = device === 0 ? person?.telephone : person?.companions.get(device)
  if (!owner) return element('user', { jid }, [element('error', { code: '404' })])
  const bundle = owner.bundle()
  if (server.faults.forgedPreKeys || fault === 'forged') forge(bundle)
  const { registrationId, identity, signedPreKey, preKey } = bundle
  const keyed = (tag: string, one: { id: number; key: Uint8Array }, more: BinaryNode[] = []) =>
    element(tag, {}, [
      element('id', {}, bigEndian(one.id, 3)),
      element('value', {}, one.key),
      ...more,
    ])
  return element('user', { jid }, [
    element('registration', {}, bigEndian(registrationId, 4)),
    element('type', {}, Buffer.from([5])),
    ...(fault === 'no_identity' ? [] : [element('identity', {}, identity)]),
    keyed('skey', signedPreKey, [element('signature', {}, signedPreKey.signature)]),
    ...(preKey ? [keyed('key', preKey)] : []),
  ])
}

function forge(bundle: Bundle): void {
  const stranger = Curve.generateKeyPair()
  const key = generateSignalPubKey(bundle.signedPreKey.key)
  bundle.signedPreKey.signature = Curve.sign(stranger.private, key)
}

/** Who is on the network, by which name, with which devices. */
function lookUp(server: World, usync: BinaryNode): BinaryNode {
  const wanted = new Set(children(child(usync, 'query')).map(({ tag }) => tag))
  const users = children(child(usync, 'list')).map((user) => {
    const typed = bytesOf(child(user, 'contact')).toString().replace('+', '')
    const person = typed ? findTyped(server.persons, typed) : server.find(user.attrs['jid'] ?? '')
    const jid = typed ? (person?.jid ?? `${typed}@s.whatsapp.net`) : user.attrs['jid']
    const devices = [...(person?.companions.values() ?? [])].map(({ device }) =>
      element('device', { id: String(device), 'key-index': String(device) }),
    )
    const list = person ? [element('device', { id: '0' }), ...devices] : []
    return element('user', { jid }, [
      ...(wanted.has('contact') ? [element('contact', { type: person ? 'in' : 'out' })] : []),
      ...(wanted.has('devices')
        ? [element('devices', {}, [element('device-list', {}, list)])]
        : []),
      ...(wanted.has('status') ? [element('status', {}, Buffer.from(person?.about ?? ''))] : []),
      ...(wanted.has('lid') && person ? [element('lid', { val: person.lidJid })] : []),
    ])
  })
  const { sid } = usync.attrs
  return element('usync', { sid, t: seconds() }, [element('list', {}, users)])
}

/** Brazilian mobiles are found with and without the ninth digit, whichever way they are registered. */
function findTyped(persons: Person[], typed: string): Person | undefined {
  const bare = (phone: string) => phone.replace(/^(55\d\d)9(\d{8})$/, '$1$2')
  return (
    persons.find(({ phone }) => phone === typed) ??
    persons.find(({ phone }) => bare(phone) === bare(typed))
  )
}
