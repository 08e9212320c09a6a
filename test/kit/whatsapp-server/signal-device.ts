import {
  Curve,
  generateRegistrationId,
  generateSignalPubKey,
  signedKeyPair,
  type KeyPair,
} from 'baileys'
import { patchLibsignal } from '../../../src/networks/whatsapp/libsignal.ts'
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord } from 'libsignal'

/** The public half of a device, as the server hands it out. */
export type Bundle = {
  registrationId: number
  identity: Uint8Array
  signedPreKey: { id: number; key: Uint8Array; signature: Uint8Array }
  preKey: { id: number; key: Uint8Array } | null
}
export type Encrypted = { type: 'pkmsg' | 'msg'; ciphertext: Buffer }

// Real phones have none of the library's faults.
patchLibsignal()
let made = 0

/** One device's end of the Signal protocol. */
export class SignalDevice {
  readonly identity: KeyPair = Curve.generateKeyPair()
  readonly registrationId = generateRegistrationId()
  /** libsignal queues by the address in the whole process: each device calls others by names of its own. */
  readonly #name = `device-${++made}`
  readonly #signedPreKey = signedKeyPair(this.identity, 1)
  readonly #preKeys = new Map<number, KeyPair>()
  readonly #sessions = new Map<string, string>()
  readonly #renewed = new Set<string>()
  #nextPreKeyId = 1
  #turn: Promise<unknown> = Promise.resolve()

  bundle(): Bundle {
    const id = this.#nextPreKeyId++
    const pair = Curve.generateKeyPair()
    this.#preKeys.set(id, pair)
    const { keyPair, signature, keyId } = this.#signedPreKey
    return {
      registrationId: this.registrationId,
      identity: this.identity.public,
      signedPreKey: { id: keyId, key: keyPair.public, signature },
      preKey: { id, key: pair.public },
    }
  }

  /** Encrypts for a device; `fetch` is asked for its keys when there is no session yet. */
  encrypt(to: string, fetch: () => Bundle, plaintext: Buffer): Promise<Encrypted> {
    return this.#inTurn(async () => {
      const address = this.#address(to).toString()
      if (!this.#sessions.has(address) || this.#renewed.delete(address)) {
        const { registrationId, identity, signedPreKey, preKey } = fetch()
        await new SessionBuilder(this.#storage(), this.#address(to)).initOutgoing({
          registrationId,
          identityKey: generateSignalPubKey(identity),
          signedPreKey: {
            keyId: signedPreKey.id,
            publicKey: generateSignalPubKey(signedPreKey.key),
            signature: signedPreKey.signature,
          },
          ...(preKey
            ? { preKey: { keyId: preKey.id, publicKey: generateSignalPubKey(preKey.key) } }
            : {}),
        } as Parameters<SessionBuilder['initOutgoing']>[0])
      }
      const { type, body } = await this.#cipher(to).encrypt(plaintext)
      return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') }
    })
  }

  decrypt(from: string, type: string, ciphertext: Buffer): Promise<Buffer> {
    return this.#inTurn(() =>
      type === 'pkmsg'
        ? this.#cipher(from).decryptPreKeyWhisperMessage(ciphertext)
        : this.#cipher(from).decryptWhisperMessage(ciphertext),
    )
  }

  /** Starts a new session with the next message; messages of the old session can still be decrypted. */
  renew(peer: string): void {
    this.#renewed.add(this.#address(peer).toString())
  }

  forget(peer: string): void {
    this.#sessions.delete(this.#address(peer).toString())
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  #address(peer: string): ProtocolAddress {
    return new ProtocolAddress(`${this.#name}>${peer}`, 0)
  }

  #cipher(peer: string): SessionCipher {
    return new SessionCipher(this.#storage(), this.#address(peer))
  }

  #storage(): ConstructorParameters<typeof SessionCipher>[0] {
    const toRecord = (text: string) => SessionRecord.deserialize(JSON.parse(text) as Uint8Array)
    const ours = (pair: KeyPair) => ({
      privKey: Buffer.from(pair.private),
      pubKey: Buffer.from(generateSignalPubKey(pair.public)),
    })
    return {
      loadSession: async (id) => {
        const stored = this.#sessions.get(id)
        return stored === undefined ? null : toRecord(stored)
      },
      storeSession: async (id, session) => {
        this.#sessions.set(id, JSON.stringify(session.serialize()))
      },
      isTrustedIdentity: () => true,
      loadPreKey: async (id) => {
        const pair = this.#preKeys.get(Number(id))
        return pair && ours(pair)
      },
      removePreKey: (id) => void this.#preKeys.delete(id),
      loadSignedPreKey: () => ours(this.#signedPreKey.keyPair),
      getOurRegistrationId: () => this.registrationId,
      getOurIdentity: () => ours(this.identity),
    }
  }
}
