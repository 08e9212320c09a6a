import { randomBytes } from 'node:crypto'
import type { AuditService } from '../company/audit/audit.service.ts'
import { delay, type Clock } from '../kernel/clock.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { isSameToken } from '../kernel/seal.ts'
import { createTokenBuckets } from '../kernel/token-bucket.ts'
import { toStorable } from '../kernel/text.ts'
import type { Caller } from '../kernel/principal.ts'
import { readAccount, saveAccount, type CloudAccount } from '../networks/cloud-api/account.ts'
import type { CloudApi } from '../networks/cloud-api/cloud-api.ts'
import { countReports, isSigned } from '../networks/cloud-api/webhook.ts'
import type { CredentialStore } from '../networks/network.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { CloudAccountBody, CloudAccountView } from './cloud-accounts.schemas.ts'
import { findProjectOf } from './instances.sql.ts'
import { setUnpairing } from './credentials.sql.ts'
import type { InstancesService } from './instances.service.ts'
import type { NetworkCommander } from './network-commands.service.ts'

const VERIFY_TOKEN_BYTES = 24
/** Meta puts up to a thousand updates in one request; each comes with a contact. */
const MAX_REPORTS = 3000

/** Maximum concurrent webhooks, in total and per Project. Meta resends rejected ones. */
const MAX_WEBHOOKS = 64
const MAX_WEBHOOKS_PER_PROJECT = 16
/** Webhooks with more reports than this are large: each keeps the database busy, so few are processed at once. */
const MANY_REPORTS = 50
const MAX_LARGE_WEBHOOKS = 8
const MAX_LARGE_WEBHOOKS_PER_PROJECT = 2
const MAX_WAITING = 1000
const MAX_WAITING_PER_PROJECT = 100
const WAIT_MS = 10_000
/**
 * Rate limit of the reports of one Project, with a burst of one largest webhook; Meta resends rejected ones. By default a
 * number sends 80 messages a second, each with up to three statuses.
 */
const REPORTS = { perSecond: 500, burst: MAX_REPORTS }
const RETRY_AFTER_SECONDS = 10

/** The instance that a webhook address belongs to, and the secret that signs its webhooks. */
export type WebhookOwner = { instanceId: string; projectId: string; appSecret: string }

/** Connects instances to the official API; see `createCloudAccountsService`. */
export type CloudAccountsService = ReturnType<typeof createCloudAccountsService>

/** Creates the service for the accounts of instances at Meta, and for the webhooks of those accounts. */
export function createCloudAccountsService(deps: {
  clock: Clock
  instances: InstancesService
  audit: AuditService
  cloudApi: CloudApi
  commander: Pick<NetworkCommander, 'run'>
  /** Whether instances of the production mode run on the simulator. */
  simulated: boolean
  /** Credentials, usable on any node because the user changes them. */
  storeOf: (db: Db, instanceId: string) => CredentialStore
}) {
  const { clock, instances, audit, cloudApi, commander, storeOf } = deps
  const createGate = (max: number, maxPerKey: number) =>
    createFairSemaphore({
      clock,
      max,
      maxPerKey,
      maxWaiting: MAX_WAITING,
      maxWaitingPerKey: MAX_WAITING_PER_PROJECT,
      timeoutMs: WAIT_MS,
    })
  const usual = createGate(MAX_WEBHOOKS, MAX_WEBHOOKS_PER_PROJECT)
  const large = createGate(MAX_LARGE_WEBHOOKS, MAX_LARGE_WEBHOOKS_PER_PROJECT)
  const pace = createTokenBuckets({ clock, maxWaitMs: WAIT_MS })

  async function requireCloud(db: Db, scope: Scope, id: string): Promise<void> {
    const { network, mode } = await instances.row(db, scope, id)
    // The sandbox pairs these instances with virtual phones.
    if (network !== 'cloud_api' || mode === 'test' || deps.simulated)
      throw fail('conflict', (say) => say.instances.notCloud)
  }

  const view = (
    id: string,
    { phoneNumberId, businessAccountId, verifyToken }: CloudAccount,
    configured: boolean | null,
  ): CloudAccountView => ({
    phoneNumberId,
    businessAccountId,
    webhook: { url: cloudApi.callbackUrl(id), verifyToken, configured },
  })

  return {
    /**
     * Connects an instance: checks the account at Meta, stores it, directs its webhooks to this installation and opens
     * the session. Throws 404, 409 if the instance is on another network, 400 for what Meta rejects, 503 if Meta cannot
     * be reached.
     */
    async connect(
      db: Db,
      scope: Scope,
      caller: Caller,
      id: string,
      body: CloudAccountBody,
    ): Promise<CloudAccountView> {
      await requireCloud(db, scope, id)
      const before = await readAccount(storeOf(db, id))
      const verifyToken =
        before?.verifyToken ?? randomBytes(VERIFY_TOKEN_BYTES).toString('base64url')
      const account: CloudAccount = { ...body, verifyToken }
      const found = await cloudApi.enroll(account)
      if (found.kind === 'unreachable')
        throw fail('unavailable', (say) => say.instances.cloudUnreachable, {
          retryAfter: 10,
          cause: found.cause,
        })
      if (found.kind === 'rejected') {
        const { field } = found
        throw fail('bad_request', (say) => say.instances.cloudRejected[field], { field })
      }
      // In one transaction: unpairing a logged-out instance would delete the new account.
      await db.transaction(async (tx) => {
        await instances.transition(tx, id, null, { to: 'CONNECTING' })
        await setUnpairing(tx, id, null)
        await saveAccount(storeOf(tx, id), account)
        const { phoneNumberId, businessAccountId } = body
        const after = { phoneNumberId, businessAccountId }
        await audit.recordAction(tx, scope, caller, 'instance.cloud_account', id, {
          before: null,
          after,
        })
      })
      // After the commit, because Meta calls the address immediately and expects the token.
      const configured = await cloudApi.direct(account, id)
      return view(id, account, configured)
    },

    /** Returns the account of an instance. Throws 404 if it has none. */
    async get(db: Db, scope: Scope, id: string): Promise<CloudAccountView> {
      await requireCloud(db, scope, id)
      const account = await readAccount(storeOf(db, id))
      if (!account) throw fail('not_found', (say) => say.instances.cloudAccountMissing)
      return view(id, account, null)
    },

    /** Returns whether this is the verify token that Meta sends when the webhook address is set. */
    async verify(db: Db, id: string, token: string): Promise<boolean> {
      const account = await readAccount(storeOf(db, id))
      return account !== null && isSameToken(token, account.verifyToken)
    },

    /**
     * Returns the instance and signing secret of a webhook address. Throws 403 without an account, before any body is
     * read.
     */
    async webhookOwner(db: Db, id: string): Promise<WebhookOwner> {
      const [account, projectId] = await Promise.all([
        readAccount(storeOf(db, id)),
        findProjectOf(db, id),
      ])
      if (!account || projectId === null)
        throw fail('forbidden', (say) => say.instances.cloudSignature)
      return { instanceId: id, projectId, appSecret: account.appSecret }
    },

    /**
     * Processes a webhook of Meta, and resolves once all it reports is committed. Throws 403 for a wrong signature, and
     * 409 or 503 if the instance is not connected or too many are being processed, so that Meta resends it.
     */
    async receive(owner: WebhookOwner, body: Buffer, signature: unknown): Promise<void> {
      if (!isSigned(owner.appSecret, body, signature))
        throw fail('forbidden', (say) => say.instances.cloudSignature)
      let payload: unknown
      try {
        payload = JSON.parse(body.toString())
      } catch (cause) {
        throw fail('bad_request', (say) => say.http.malformedRequest, { cause })
      }
      if (typeof payload !== 'object' || payload === null) return
      const reports = countReports(payload)
      if (reports > MAX_REPORTS)
        throw fail('payload_too_large', (say) => say.instances.cloudTooMany)
      const waitMs = pace.take(owner.projectId, reports, REPORTS)
      if (waitMs === null)
        throw fail('unavailable', (say) => say.http.busy, { retryAfter: RETRY_AFTER_SECONDS })
      if (waitMs > 0) await delay(clock, waitMs)
      const gate = reports > MANY_REPORTS ? large : usual
      await gate(owner.projectId, () =>
        commander.run(owner.instanceId, 'receive', { payload: toStorable(payload) }),
      )
    },
  }
}
