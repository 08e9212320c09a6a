import { randomBytes } from 'node:crypto'
import {
  decodePatches,
  encodeSyncdPatch,
  newLTHashState,
  proto,
  type BinaryNode,
  type LTHashState,
} from 'baileys'
import type { Companion, Person } from './person.ts'
import { bytesOf, child, children, element, seconds, stanzaId } from './stanza.ts'

type Collection = { state: LTHashState; patches: Buffer[] }
type List = {
  id: Buffer
  data: Buffer
  collections: Map<string, Collection>
}
/** One line of an account's lists: a label, a contact, what a label is on, a star. */
export type ListEntry = {
  collection: 'regular' | 'regular_high' | 'critical_unblock_low'
  version: number
  index: string[]
  action: proto.ISyncActionValue
}

export type AppState = ReturnType<typeof createAppState>

/**
 * The lists that the devices of an account share with its phone, as patches encrypted with a key that only they have.
 */
export function createAppState(
  send: (from: Person, to: Companion, message: proto.IMessage) => Promise<void>,
) {
  const lists = new Map<Person, List>()
  /** What devices changed, in order. */
  const changes: { person: Person; index: string[]; action: proto.ISyncActionValue }[] = []

  function listOf(person: Person): List {
    const known = lists.get(person)
    if (known) return known
    const made = { id: randomBytes(6), data: randomBytes(32), collections: new Map() }
    lists.set(person, made)
    return made
  }
  function collectionOf(person: Person, name: string): Collection {
    const { collections } = listOf(person)
    const known = collections.get(name)
    if (known) return known
    const made = { state: newLTHashState(), patches: [] }
    collections.set(name, made)
    return made
  }
  const keyOf = (person: Person) => {
    const keyData = proto.Message.AppStateSyncKeyData.create({ keyData: listOf(person).data })
    return async () => keyData
  }

  function announce(person: Person, name: string, but: Companion | null): void {
    const version = String(collectionOf(person, name).state.version)
    const attrs = { id: stanzaId(), type: 'server_sync', from: 's.whatsapp.net', t: seconds() }
    for (const device of person.companions.values()) {
      const inside = element('collection', { name, version })
      if (device !== but) device.push(element('notification', attrs, [inside]))
    }
  }

  /** A device changed something. */
  async function take(person: Person, name: string, bytes: Buffer): Promise<boolean> {
    const collection = collectionOf(person, name)
    const patch = proto.SyncdPatch.decode(bytes)
    patch.version = { version: collection.state.version + 1 }
    const before = collection.state.version
    const key = keyOf(person)
    const { state, mutationMap } = await decodePatches(
      ...([
        name,
        [patch],
        collection.state,
        key,
        {},
        undefined,
        undefined,
        true,
      ] as unknown as Parameters<typeof decodePatches>),
    )
    if (state.version !== before + 1 || Object.keys(mutationMap).length === 0) return false
    collection.state = state
    collection.patches.push(Buffer.from(proto.SyncdPatch.encode(patch).finish()))
    for (const { index, syncAction } of Object.values(mutationMap)) {
      changes.push({ person, index, action: syncAction.value ?? {} })
    }
    return true
  }

  return {
    changes,

    /** The phone shares the key of its lists with a device. */
    async share(person: Person, to: Companion): Promise<void> {
      const { id, data } = listOf(person)
      const keyData = { keyData: data, fingerprint: { rawId: 1 }, timestamp: Date.now() }
      await send(person, to, {
        protocolMessage: {
          type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
          appStateSyncKeyShare: { keys: [{ keyId: { keyId: id }, keyData }] },
        },
      })
    },

    /** A list is changed on the phone. */
    async change(person: Person, entry: ListEntry): Promise<void> {
      const { collection: name, version: apiVersion, index, action } = entry
      const collection = collectionOf(person, name)
      const { patch, state } = await encodeSyncdPatch(
        {
          type: name,
          index,
          apiVersion,
          syncAction: {
            ...action,
            timestamp: Date.now(),
          },
          operation: proto.SyncdMutation.SyncdOperation.SET,
        },
        listOf(person).id.toString('base64'),
        collection.state,
        keyOf(person),
      )
      collection.state = state
      const bytes = proto.SyncdPatch.encode({ ...patch, version: { version: state.version } })
      collection.patches.push(Buffer.from(bytes.finish()))
      announce(person, name, null)
    },

    /** A device asks what is new, or changes something. A string is the code of a refusal. */
    async answer(companion: Companion, node: BinaryNode): Promise<BinaryNode[] | string> {
      const { person } = companion
      const answers: BinaryNode[] = []
      for (const wanted of children(child(node, 'sync'))) {
        const name = wanted.attrs['name'] ?? ''
        const patch = child(wanted, 'patch')
        if (patch && !(await take(person, name, bytesOf(patch)))) return '409'
        if (patch) announce(person, name, companion)
        const { state, patches } = collectionOf(person, name)
        const from = patch ? patches.length : Number(wanted.attrs['version'] ?? 0)
        const news = patches.slice(from).map((bytes) => element('patch', {}, bytes))
        const inside = news.length > 0 ? [element('patches', {}, news)] : []
        answers.push(element('collection', { name, version: String(state.version) }, inside))
      }
      return [element('sync', {}, answers)]
    },
  }
}
