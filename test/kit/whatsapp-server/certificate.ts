import { Curve, proto } from 'baileys'

type KeyPair = ReturnType<typeof Curve.generateKeyPair>

/** The root of trust of every test server; clients under test are told to trust it instead of WhatsApp's. */
export const root: KeyPair = Curve.generateKeyPair()

/** What is wrong with a chain: `recorded` is genuine, and another server's. */
export type ChainFault = 'forged' | 'recorded' | 'expired' | 'early' | 'other_issuer'

const NOW_SECONDS = () => Math.floor(Date.now() / 1000)
const DAY = 24 * 3600

/** A chain root → intermediate → leaf for a server's static key. */
export function certify(serverKey: KeyPair, fault: ChainFault | null = null): Uint8Array {
  const signer = fault === 'forged' ? Curve.generateKeyPair() : root
  const owner = fault === 'recorded' ? Curve.generateKeyPair() : serverKey
  const { Details } = proto.CertChain.NoiseCertificate
  const intermediate = Curve.generateKeyPair()
  const life = {
    notBefore: fault === 'early' ? NOW_SECONDS() + 3 * DAY : 0,
    notAfter: fault === 'expired' ? NOW_SECONDS() - 3 * DAY : 4102444800,
  }
  const middle = Details.encode({
    serial: 1,
    issuerSerial: 0,
    key: intermediate.public,
    ...life,
  }).finish()
  const leaf = Details.encode({
    serial: 2,
    issuerSerial: fault === 'other_issuer' ? 9 : 1,
    key: owner.public,
    ...life,
  }).finish()
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: Curve.sign(signer.private, middle) },
    leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
  }).finish()
}
