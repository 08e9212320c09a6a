import { Curve, proto } from 'baileys'

type KeyPair = ReturnType<typeof Curve.generateKeyPair>

/** The root of trust of every test server; clients under test are told to trust it instead of WhatsApp's. */
export const root: KeyPair = Curve.generateKeyPair()

/** A chain root → intermediate → leaf for a server's static key. `signer` signs in the root's place: a forgery. */
export function certify(serverKey: KeyPair, signer: KeyPair = root): Uint8Array {
  const { Details } = proto.CertChain.NoiseCertificate
  const intermediate = Curve.generateKeyPair()
  const life = { notBefore: 0, notAfter: 4102444800 }
  const middle = Details.encode({
    ...{ serial: 1, issuerSerial: 0, key: intermediate.public },
    ...life,
  }).finish()
  const leaf = Details.encode({
    ...{ serial: 2, issuerSerial: 1, key: serverKey.public },
    ...life,
  }).finish()
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: Curve.sign(signer.private, middle) },
    leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
  }).finish()
}
