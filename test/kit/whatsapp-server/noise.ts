import {
  aesDecryptGCM,
  aesEncryptGCM,
  Curve,
  hkdf,
  NOISE_MODE,
  proto,
  sha256,
  type KeyPair,
} from 'baileys'

const EMPTY = Buffer.alloc(0)
const HEADER_BYTES = 4

export type Heard = { introduction?: Buffer; stanza?: Buffer }

/** Splits a stream of bytes into frames, past the client's intro. */
function createDeframer() {
  let bytes: Buffer = EMPTY
  let greeted = false
  return {
    header: EMPTY as Buffer,
    /** The frames that are whole by now. */
    push(chunk: Buffer): Buffer[] {
      bytes = Buffer.concat([bytes, chunk])
      if (!greeted) {
        // A client that was routed before says so first.
        const routed = bytes.subarray(0, 2).toString() === 'ED'
        const skip = routed ? 7 + ((bytes[4] ?? 0) << 16) + bytes.readUint16BE(5) : 0
        if (bytes.length < skip + HEADER_BYTES) return []
        this.header = bytes.subarray(skip, skip + HEADER_BYTES)
        bytes = bytes.subarray(skip + HEADER_BYTES)
        greeted = true
      }
      const frames: Buffer[] = []
      for (;;) {
        if (bytes.length < 3) return frames
        const size = bytes.readUintBE(0, 3)
        if (bytes.length < size + 3) return frames
        frames.push(bytes.subarray(3, size + 3))
        bytes = bytes.subarray(size + 3)
      }
    },
  }
}

function counterIv(counter: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUint32BE(counter, 8)
  return iv
}

/**
 * The answering side of Noise_XX_25519_AESGCM_SHA256. `take` gets the client's bytes and answers what they hold: first
 * the payload with which it introduces itself, then its stanzas.
 */
export function createResponder(options: {
  staticKey: KeyPair
  certificate: Uint8Array
  send: (bytes: Buffer) => void
}) {
  const { staticKey, certificate, send } = options
  const ephemeral = Curve.generateKeyPair()
  const deframer = createDeframer()
  let [hash, salt, key] = [0, 0, 0].map(() => Buffer.from(NOISE_MODE)) as [Buffer, Buffer, Buffer]
  let counter = 0
  let stage: 'hello' | 'finish' | 'transport' = 'hello'
  let clientEphemeral: Uint8Array = EMPTY
  const transport = { read: EMPTY as Buffer, write: EMPTY as Buffer, reads: 0, writes: 0 }

  const authenticate = (data: Uint8Array) => {
    hash = sha256(Buffer.concat([hash, data]))
  }
  const derive = (secret: Uint8Array): [Buffer, Buffer] => {
    const bytes = Buffer.from(hkdf(Buffer.from(secret), 64, { salt, info: '' }))
    return [bytes.subarray(0, 32), bytes.subarray(32)]
  }
  const mix = (secret: Uint8Array) => {
    ;[salt, key] = derive(secret)
    counter = 0
  }
  const encrypt = (data: Uint8Array) => {
    const bytes = aesEncryptGCM(data, key, counterIv(counter++), hash)
    authenticate(bytes)
    return bytes
  }
  const decrypt = (data: Uint8Array) => {
    const bytes = aesDecryptGCM(data, key, counterIv(counter++), hash)
    authenticate(data)
    return bytes
  }
  const frame = (data: Uint8Array) => {
    const size = Buffer.alloc(3)
    size.writeUintBE(data.length, 0, 3)
    send(Buffer.concat([size, data]))
  }

  function hello(bytes: Buffer): void {
    const { clientHello } = proto.HandshakeMessage.decode(bytes)
    clientEphemeral = clientHello?.ephemeral ?? EMPTY
    authenticate(deframer.header)
    authenticate(clientEphemeral)
    authenticate(ephemeral.public)
    mix(Curve.sharedKey(ephemeral.private, clientEphemeral))
    const encryptedStatic = encrypt(staticKey.public)
    mix(Curve.sharedKey(staticKey.private, clientEphemeral))
    const payload = encrypt(certificate)
    const serverHello = { ephemeral: ephemeral.public, static: encryptedStatic, payload }
    frame(proto.HandshakeMessage.encode({ serverHello }).finish())
  }

  function finish(bytes: Buffer): Buffer {
    const { clientFinish } = proto.HandshakeMessage.decode(bytes)
    const clientStatic = decrypt(clientFinish?.static ?? EMPTY)
    mix(Curve.sharedKey(ephemeral.private, clientStatic))
    const payload = decrypt(clientFinish?.payload ?? EMPTY)
    ;[transport.read, transport.write] = derive(EMPTY)
    return payload
  }

  return {
    take(chunk: Buffer): Heard[] {
      return deframer.push(chunk).flatMap((bytes): Heard[] => {
        if (stage === 'hello') {
          stage = 'finish'
          hello(bytes)
          return []
        }
        if (stage === 'finish') {
          stage = 'transport'
          return [{ introduction: finish(bytes) }]
        }
        const iv = counterIv(transport.reads++)
        return [{ stanza: aesDecryptGCM(bytes, transport.read, iv, EMPTY) }]
      })
    },
    write(stanza: Uint8Array): void {
      frame(aesEncryptGCM(stanza, transport.write, counterIv(transport.writes++), EMPTY))
    },
  }
}
