import type { CredentialStore } from '../network.port.ts'

/** The account of an instance on the official API, sealed at rest. */
export type CloudAccount = {
  /** The id of the number at Meta, not the number itself. */
  phoneNumberId: string
  /** The id of the WhatsApp Business account, which owns the templates. */
  businessAccountId: string
  accessToken: string
  /** Signs the webhooks of the company's app. */
  appSecret: string
  /** Meta sends it back when it verifies the webhook address. */
  verifyToken: string
}

/** The kind of all credentials that make up an account. */
export const KIND = 'cloud'
/** The credential that holds the account itself. */
export const ACCOUNT = 'account'
/** The credential that records the webhook address last configured, and for which number. */
export const DIRECTED = 'directed'

/** Reads the account of an instance; null if it has none. */
export async function readAccount(credentials: CredentialStore): Promise<CloudAccount | null> {
  const stored = await credentials.read(KIND, ACCOUNT)
  return stored && (JSON.parse(stored.toString()) as CloudAccount)
}

/** Stores the account of an instance; its webhook address will be configured again. */
export const saveAccount = (credentials: CredentialStore, account: CloudAccount): Promise<void> =>
  credentials.save([
    { kind: KIND, id: ACCOUNT, value: Buffer.from(JSON.stringify(account)) },
    { kind: KIND, id: DIRECTED, value: null },
  ])
