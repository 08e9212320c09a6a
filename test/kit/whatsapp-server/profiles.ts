import type { BinaryNode } from 'baileys'
import type { Groups } from './groups.ts'
import type { Companion, Person } from './person.ts'
import { bytesOf, children, element, seconds, stanzaId } from './stanza.ts'
import type { World } from './world.ts'

/** Where a picture lies on the media host; without an "@", which the wire would take for an address. */
const pathOf = (id: string) => `/pps/${id.replace('@', '-')}`

/** Sets or removes the picture of a person or group, and notifies those devices. */
export function setPicture(
  server: World,
  id: string,
  picture: Buffer | null,
  devices: Iterable<Companion>,
): void {
  const path = pathOf(id)
  if (picture) server.media.files.set(path, picture)
  else server.media.files.delete(path)
  const change = element(picture ? 'set' : 'delete', picture ? { id: stanzaId() } : {})
  for (const device of devices) {
    const attrs = { id: stanzaId(), type: 'picture', from: id, t: seconds() }
    device.push(element('notification', attrs, [change]))
  }
}

/** Notifies a device of a person's new identity key, as after a change of phone. */
export function tellNewIdentity({ jid }: Person, device: Companion): void {
  const attrs = { id: stanzaId(), type: 'encrypt', from: jid, t: seconds() }
  device.push(element('notification', attrs, [element('identity')]))
}

/** Answers queries about profiles; a string is the code of a rejection, null marks an unknown query. */
export function answerProfileQuery(
  server: World,
  groups: Groups,
  companion: Companion | null,
  node: BinaryNode,
  name: string,
): BinaryNode[] | string | null {
  const [first] = children(node)
  const { target } = node.attrs
  const named = target === undefined ? companion?.person : server.find(target)
  const id = named?.jid ?? target ?? ''
  switch (name) {
    case 'w:profile:picture get picture':
      return server.media.files.has(pathOf(id))
        ? [element('picture', { id: '1', url: `https://${server.media.hostname}${pathOf(id)}` })]
        : '404'
    case 'w:profile:picture set picture':
    case 'w:profile:picture set ': {
      if (target !== undefined && (!companion || !groups.has(target, companion.person)))
        return '404'
      setPicture(server, id, first ? bytesOf(first) : null, [])
      return []
    }
    case 'status set status':
      if (companion) companion.person.about = bytesOf(first).toString()
      return []
    case 'w:biz get business_profile': {
      const person = server.find(children(first)[0]?.attrs['jid'] ?? '')
      return [element('business_profile', {}, person?.business ? [businessOf(person)] : [])]
    }
    default:
      return null
  }
}

const businessOf = ({ jid, name }: Person): BinaryNode =>
  element('profile', { jid }, [
    element('description', {}, Buffer.from(name)),
    element('website', {}, Buffer.from('https://padaria.com.br')),
    element('categories', {}, [element('category', { id: '1' }, Buffer.from('Padaria'))]),
  ])
