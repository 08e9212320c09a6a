import { createHmac, randomBytes } from 'node:crypto'
import { Curve, proto, type BinaryNode } from 'baileys'
import { Companion, type Person } from './person.ts'
import { bytesOf, child, element, seconds, stanzaId, WA } from './stanza.ts'
import type { Connection, World } from './world.ts'

const REFS = 6
const ACCOUNT_PREFIX = Buffer.from([6, 0])
const DEVICE_PREFIX = Buffer.from([6, 1])
const SOON_MS = 5

export type Pairing = ReturnType<typeof createPairing>

/** How a device becomes one of an account's: codes, the telephone's signature, the device's own. */
export function createPairing(server: World) {
  const half = new Map<string, { companion: Companion; details: Uint8Array }>()

  return {
    /** Offers codes to a device that is not paired. */
    offer(connection: Connection): void {
      const refs = Array.from({ length: REFS }, () => {
        const ref = `2@${randomBytes(32).toString('base64url')}`
        return element('ref', {}, Buffer.from(ref))
      })
      const attrs = { id: stanzaId(), type: 'set', from: WA, xmlns: 'md' }
      // Clients miss what comes in the same tick as the handshake's end.
      setTimeout(
        () => connection.send(element('iq', attrs, [element('pair-device', {}, refs)])),
        SOON_MS,
      )
    },

    /** A telephone reads the code that a device shows. */
    scan(person: Person, code: string): Companion {
      const [, , identity = '', secret = ''] = code.replace(/^.*#/, '').split(',')
      const connection = [...server.connections].find(
        ({ registration }) =>
          registration && Buffer.from(registration.eIdent ?? []).toString('base64') === identity,
      )
      if (!connection?.registration) throw new Error('no device shows this code')
      const identityKey = Buffer.from(identity, 'base64')
      const device = Math.max(0, ...person.companions.keys()) + 1
      const details = proto.ADVDeviceIdentity.encode({
        ...{ rawId: 1, timestamp: Math.floor(Date.now() / 1000), keyIndex: device },
      }).finish()
      const { telephone } = person
      const signer = server.faults.forgedAccount ? Curve.generateKeyPair() : telephone.identity
      const signed = proto.ADVSignedDeviceIdentity.encode({
        details,
        accountSignatureKey: telephone.identity.public,
        accountSignature: Curve.sign(
          signer.private,
          Buffer.concat([ACCOUNT_PREFIX, details, identityKey]),
        ),
      }).finish()
      const hmac = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest()
      const wrapped = proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish()
      const companion = new Companion(person, device, identityKey)
      const id = stanzaId()
      half.set(id, { companion, details })
      const success = element('pair-success', {}, [
        element('device-identity', {}, wrapped),
        ...(person.business ? [element('biz', { name: person.name })] : []),
        element('platform', { name: person.business ? 'smba' : 'android' }),
        element('device', { jid: companion.jid, lid: `${person.lid}:${device}@lid` }),
      ])
      const attrs = { id, type: 'set', from: WA, xmlns: 'md', t: seconds() }
      connection.send(element('iq', attrs, [success]))
      return companion
    },

    /** The device signs, too, and is told to come back as what it is now. */
    answered(connection: Connection, node: BinaryNode): void {
      const known = half.get(node.attrs['id'] ?? '')
      if (!known) return
      half.delete(node.attrs['id'] ?? '')
      const { companion, details } = known
      const identity = bytesOf(child(child(node, 'pair-device-sign'), 'device-identity'))
      const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(identity)
      const account = companion.person.telephone.identity.public
      const signed = Buffer.concat([DEVICE_PREFIX, details, companion.identity, account])
      if (!deviceSignature || !verify(companion.identity, signed, deviceSignature)) {
        server.surprises.push('a device signature that is none')
      }
      companion.person.companions.set(companion.device, companion)
      connection.restarting = true
      connection.end(element('stream:error', { code: '515' }))
    },
  }
}

const verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
  Curve.verify(key, message, signature)
