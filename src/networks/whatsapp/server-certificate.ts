import type { Curve as EngineCurve, proto as engineProto } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'

/** Tolerated error of this machine's clock when the validity of a certificate is checked. */
const CLOCK_SKEW_MS = 24 * 3600_000

/** The certificate does not belong to the server that presents it. Ends the connection before any data is sent. */
class CertificateMismatch extends Error {
  readonly output = { statusCode: 400 }
  constructor(why: string) {
    super(`WhatsApp's server certificate was rejected: ${why}`)
    this.name = 'CertificateMismatch'
  }
}

/**
 * Binds the server's certificate to the key that the handshake has just decrypted, and checks its validity. The engine
 * verifies only the signatures, so without this any server could present a recorded genuine chain.
 *
 * Relies on the engine mixing the server's static key and decoding the chain in the same synchronous turn.
 */
export function patchCertificateCheck(
  { Curve, proto }: { Curve: typeof EngineCurve; proto: typeof engineProto },
  clock: Clock,
): void {
  const { CertChain } = proto
  const { Details } = CertChain.NoiseCertificate
  const sharedKey = Curve.sharedKey.bind(Curve)
  const decode = CertChain.decode.bind(CertChain)
  let peerKey: Uint8Array = Buffer.alloc(0)

  const isValid = ({ notBefore, notAfter }: { notBefore?: unknown; notAfter?: unknown }) => {
    const [from, until] = [Number(notBefore ?? 0) * 1000, Number(notAfter ?? 0) * 1000]
    const now = clock.now()
    return now > from - CLOCK_SKEW_MS && (until === 0 || now < until + CLOCK_SKEW_MS)
  }

  Object.assign(Curve, {
    sharedKey(privateKey: Uint8Array, publicKey: Uint8Array) {
      peerKey = publicKey
      return sharedKey(privateKey, publicKey)
    },
  })
  Object.assign(CertChain, {
    decode(...input: Parameters<typeof decode>) {
      const chain = decode(...input)
      const leaf = Details.decode(chain.leaf?.details ?? new Uint8Array())
      const issuer = Details.decode(chain.intermediate?.details ?? new Uint8Array())
      if (!Buffer.from(leaf.key ?? []).equals(Buffer.from(peerKey))) {
        throw new CertificateMismatch('its key is not the key of this connection')
      }
      if (leaf.issuerSerial !== issuer.serial) {
        throw new CertificateMismatch(
          'its issuer is not the intermediate certificate presented with it',
        )
      }
      if (!isValid(leaf) || !isValid(issuer))
        throw new CertificateMismatch('it has expired or is not valid yet')
      return chain
    },
  })
}
