import { createHmac, randomBytes } from 'node:crypto'
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
  proto,
  type BinaryNode,
} from 'baileys'
import { Companion, type Person } from './person.ts'
import { bytesOf, child, element, seconds, stanzaId, WA } from './stanza.ts'
import type { Connection, World } from './world.ts'

const REFS = 6
const ACCOUNT_PREFIX = Buffer.from([6, 0])
const DEVICE_PREFIX = Buffer.from([6, 1])
const SOON_MS = 5

export type Pairing = ReturnType<typeof createPairing>

/** Pairing of a device with an account: codes, the signature of the phone, and that of the device. */
export function createPairing(server: World) {
  const half = new Map<string, { companion: Companion; details: Uint8Array }>()

  const typing = new Map<Connection, { person: Person; shared: Buffer }>()

  /** The device that shows a code. */
  function showing(code: string): Connection {
    const [, , identity = ''] = code.replace(/^.*#/, '').split(',')
    const connection = [...server.connections].find(
      ({ registration }) =>
        registration && Buffer.from(registration.eIdent ?? []).toString('base64') === identity,
    )
    if (!connection) throw new Error('no device shows this code')
    return connection
  }

  /** A phone accepts a device; `secret` is known only to the two. */
  function link(person: Person, connection: Connection, secret: Buffer): Companion {
    const identityKey = Buffer.from(connection.registration?.eIdent ?? [])
    const device = Math.max(0, ...person.companions.keys()) + 1
    const details = proto.ADVDeviceIdentity.encode({
      rawId: 1,
      timestamp: Math.floor(Date.now() / 1e3),
      keyIndex: device,
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
    const hmac = createHmac('sha256', secret).update(signed).digest()
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
  }

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

    /** A phone scans the code that a device shows. */
    scan(person: Person, code: string): Companion {
      const [, , , secret = ''] = code.replace(/^.*#/, '').split(',')
      return link(person, showing(code), Buffer.from(secret, 'base64'))
    },

    /** A phone scans the code, and its owner has to confirm with a passkey. */
    demandPasskey(code: string): void {
      const attrs = { id: stanzaId(), type: 'passkey_prologue_request', from: WA, t: seconds() }
      showing(code).send(element('notification', attrs, [element('passkey_request_options')]))
    },

    /** Whether a device requested a code to be typed on this phone. */
    asked: (person: Person) =>
      [...server.connections].some(({ hello }) => hello?.jid === person.jid),

    /** A code is typed on a phone instead of scanned. */
    async type(person: Person, shown: string): Promise<void> {
      const connection = [...server.connections].find(({ hello }) => hello?.jid === person.jid)
      const { hello } = connection ?? {}
      if (!connection || !hello) throw new Error('no device asked for a code')
      const code = shown.replace('-', '')
      const key = await derivePairingCodeKey(code, hello.wrapped.subarray(0, 32))
      const { wrapped } = hello
      const companionKey = aesDecryptCTR(wrapped.subarray(48), key, wrapped.subarray(32, 48))
      const ephemeral = Curve.generateKeyPair()
      const [salt, iv] = [randomBytes(32), randomBytes(16)]
      const own = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), iv)
      typing.set(connection, {
        person,
        shared: Curve.sharedKey(ephemeral.private, companionKey),
      })
      const attrs = { id: stanzaId(), type: 'link_code_companion_reg', from: WA, t: seconds() }
      const inside = element('link_code_companion_reg', { stage: 'primary_hello' }, [
        element('link_code_pairing_ref', {}, hello.ref),
        element('primary_identity_pub', {}, person.telephone.identity.public),
        element(
          'link_code_pairing_wrapped_primary_ephemeral_pub',
          {},
          Buffer.concat([salt, iv, own]),
        ),
      ])
      connection.send(element('notification', attrs, [inside]))
    },

    /** What a device says while a code is typed; false for anything else. */
    async typed(connection: Connection, node: BinaryNode): Promise<boolean> {
      const said = child(node, 'link_code_companion_reg')
      if (!said) return false
      const { stage, jid = '' } = said.attrs
      const part = (tag: string) => bytesOf(child(said, tag))
      const answer = (content?: BinaryNode[]) =>
        connection.send(element('iq', { type: 'result', id: node.attrs['id'], from: WA }, content))
      if (stage === 'companion_hello') {
        const wrapped = part('link_code_pairing_wrapped_companion_ephemeral_pub')
        connection.hello = { jid, wrapped, ref: randomBytes(16) }
        const ref = element('link_code_pairing_ref', {}, connection.hello.ref)
        answer([element('link_code_companion_reg', { stage }, [ref])])
        return true
      }
      const known = typing.get(connection)
      if (stage !== 'companion_finish' || !known) return false
      const { person, shared } = known
      const bundle = part('link_code_pairing_wrapped_key_bundle')
      const info = 'link_code_pairing_key_bundle_encryption_key'
      const key = hkdf(shared, 32, { salt: bundle.subarray(0, 32), info })
      const none = Buffer.alloc(0)
      const opened = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), none)
      const identities = Curve.sharedKey(person.telephone.identity.private, opened.subarray(0, 32))
      const parts = Buffer.concat([shared, identities, opened.subarray(64)])
      answer()
      link(person, connection, Buffer.from(hkdf(parts, 32, { info: 'adv_secret' })))
      return true
    },

    /** The device signs, too, and reconnects with its new identity. */
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
