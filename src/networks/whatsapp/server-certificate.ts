import type { Curve as EngineCurve, proto as engineProto } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'

/** How wrong this machine's clock may be about a certificate's validity. */
const CLOCK_SKEW_MS = 24 * 3600_000

/** The certificate does not belong to the server that presents it. It ends the connection before anything is said. */
class ForeignCertificate extends Error {
  readonly output = { statusCode: 400 }
  constructor(why: string) {
    super(`WhatsApp's certificate is refused: ${why}`)
    this.name = 'ForeignCertificate'
  }
}

/**
 * Binds the server's certificate to the key that the handshake has just decrypted, and checks its validity. The engine
 * verifies the signatures and neither of these, so that whoever has recorded a genuine chain could present it.
 *
 * In one synchronous turn the engine mixes the static key of the server into its own, and then decodes the chain.
 */
export function bindCertificate(
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
        throw new ForeignCertificate('its key is not the one of this connection')
      }
      if (leaf.issuerSerial !== issuer.serial) {
        throw new ForeignCertificate('it was issued by another certificate')
      }
      if (!isValid(leaf) || !isValid(issuer)) throw new ForeignCertificate('it is not valid now')
      return chain
    },
  })
}
