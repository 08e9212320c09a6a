import type { CredentialStore } from '../network.port.ts'

/** What connects an instance to the official API; all of it is sealed at rest. */
export type CloudAccount = {
  /** The id of the number at Meta, not the number itself. */
  phoneNumberId: string
  /** The id of the WhatsApp Business account, which owns the templates. */
  businessAccountId: string
  accessToken: string
  /** Signs the webhooks of the company's app. */
  appSecret: string
  /** Meta repeats it when it verifies the webhook's address. */
  verifyToken: string
}

/** The kind of all credentials that make up an account. */
export const KIND = 'cloud'
/** The credential that holds the account itself. */
export const ACCOUNT = 'account'
/** The credential that says which number's webhooks were directed to which address. */
export const DIRECTED = 'directed'

/** Reads the account of an instance; null if it has none. */
export async function readAccount(credentials: CredentialStore): Promise<CloudAccount | null> {
  const stored = await credentials.read(KIND, ACCOUNT)
  return stored && (JSON.parse(stored.toString()) as CloudAccount)
}

/** Stores the account of an instance; its webhooks are directed again. */
export const saveAccount = (credentials: CredentialStore, account: CloudAccount): Promise<void> =>
  credentials.save([
    { kind: KIND, id: ACCOUNT, value: Buffer.from(JSON.stringify(account)) },
    { kind: KIND, id: DIRECTED, value: null },
  ])
