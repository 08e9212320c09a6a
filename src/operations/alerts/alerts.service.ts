import { hasPermission, type Permission, type Role } from '../../kernel/permissions.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import { toCaller, type UserPrincipal } from '../../kernel/principal.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  ALERT_KINDS,
  type AlertKind,
  type AlertSettings,
  type SaveAlertsBody,
} from './alerts.schemas.ts'
import {
  findAlertSettings,
  findListeners,
  markSent,
  updateAlerts,
  saveAlertKinds,
  saveCreditsBelow,
  claimUnsent,
  type AlertRow,
} from './alerts.sql.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'
import { phrasesIn, type Language } from '../../kernel/phrases/phrases.ts'
import { translateSentence } from '../../kernel/phrases/translate.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const POLL_INTERVAL_MS = MINUTE_MS
/** Connections that return within this time cause no alert. */
const DISCONNECTED_AFTER_MS = 5 * MINUTE_MS
const FAILING_AFTER_MS = 15 * MINUTE_MS
/** A webhook whose last failure is older than this causes no alert. */
const LAST_FAILURE_MAX_AGE_MS = 24 * HOUR_MS
const REPEAT_AFTER_MS = HOUR_MS
const ALERT_RETENTION_MS = 7 * 24 * HOUR_MS
const CLAIM_TIMEOUT_MS = 2 * MINUTE_MS
const MAX_LINES = 20
const MAX_NAME_LENGTH = 60

/** The permission that each kind of alert needs. */
const NEEDED: Record<AlertKind, Permission> = {
  instance_down: 'receiveInstanceAlerts',
  webhook_failing: 'receiveTechnicalAlerts',
  credits_low: 'receiveMoneyAlerts',
  payment_due: 'receiveMoneyAlerts',
}
/** The kinds of alerts that a role may receive. */
const allowedFor = (role: Role): AlertKind[] =>
  ALERT_KINDS.filter((kind) => hasPermission(role, NEEDED[kind]))

/** Sends alerts by mail; see `createAlertsService`. */
export type AlertsService = ReturnType<typeof createAlertsService>

/**
 * Creates the service that mails users about problems in production: once when a problem starts,
 * and again only if it returns after having been gone for an hour. A mail that could not be sent is
 * retried (G59).
 */
export function createAlertsService(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  mailer: Mailer
  audit: AuditService
  panelUrl: string
  onError: (error: unknown, task?: string) => void
}) {
  const { db: root, clock, activity, mailer, audit, panelUrl, onError } = deps
  let stopped = false
  const at = (ms: number) => new Date(clock.now() + ms)

  async function checkAndMail(): Promise<boolean> {
    await root.transaction((tx) =>
      updateAlerts(tx, {
        now: at(0),
        downSince: at(-DISCONNECTED_AFTER_MS),
        failedSince: at(-LAST_FAILURE_MAX_AGE_MS),
        failingSince: at(-FAILING_AFTER_MS),
        quietSince: at(-REPEAT_AFTER_MS),
        forgetBefore: at(-ALERT_RETENTION_MS),
      }),
    )
    // One company at a time, so that a claim rarely expires before its alerts are mailed.
    while (!stopped) {
      const until = at(CLAIM_TIMEOUT_MS)
      const alerts = await claimUnsent(root, { now: at(0), until })
      const [first] = alerts
      if (!first) break
      if (await sendAlerts(first.projectId, alerts)) {
        await markSent(root, alerts, { now: at(0), until })
      }
    }
    return false
  }

  /**
   * Sends one mail per user, with all alerts that the user receives. Returns true if any mail was
   * sent or none was needed: if one user cannot be reached, the others are not mailed again.
   */
  async function sendAlerts(projectId: string, alerts: AlertRow[]): Promise<boolean> {
    const sent: boolean[] = []
    for (const listener of await findListeners(root, projectId)) {
      const { email, role, kinds } = listener
      const language = listener.language ?? 'pt-BR'
      const wanted = wantedBy(role, kinds)
      const lines = alerts
        .filter(({ kind }) => wanted.includes(kind))
        .map((alert) => lineOf(alert, language))
      if (lines.length === 0) continue
      const shown = lines.slice(0, MAX_LINES)
      const company = inOneLine(listener.company)
      const more = lines.length - shown.length
      const mail = composeMail(email, language, (mails) =>
        mails.alerts({ company, lines: shown, more, panelUrl }),
      )
      sent.push(
        await mailer.send(mail).then(
          () => true,
          (error: unknown) => {
            onError(error, `mailing alerts of Project ${projectId}`)
            return false
          },
        ),
      )
    }
    return sent.length === 0 || sent.includes(true)
  }

  const loop = createLoop({
    task: 'looking for alerts',
    clock,
    activity,
    onError,
    everyMs: () => POLL_INTERVAL_MS,
    run: checkAndMail,
  })

  return {
    /** Returns the alerts that a user receives, and those that their role allows. */
    async settings(db: Db, { userId, role }: UserPrincipal): Promise<AlertSettings> {
      const row = await findAlertSettings(db, userId)
      if (!row) throw fail('unauthorized', (say) => say.auth.badRefresh)
      const { kinds, creditsBelow } = row
      return { kinds: wantedBy(role, kinds), allowed: allowedFor(role), creditsBelow }
    },

    /** Stores the alerts of a user. Throws 403 for a credit threshold from a role without access to credits. */
    save: (db: Db, user: UserPrincipal, input: SaveAlertsBody): Promise<void> =>
      db.transaction(async (tx) => {
        const { userId, projectId, role } = user
        const allowed = allowedFor(role)
        const kinds = ALERT_KINDS.filter(
          (kind) => allowed.includes(kind) && input.kinds.includes(kind),
        )
        await saveAlertKinds(tx, userId, kinds)
        const before = (await findAlertSettings(tx, userId))?.creditsBelow
        const { creditsBelow = before } = input
        if (creditsBelow === undefined || creditsBelow === before) return
        if (!allowed.includes('credits_low')) throw fail('forbidden', (say) => say.auth.roleForbids)
        await saveCreditsBelow(tx, projectId, creditsBelow)
        const change = { before: { creditsBelow: before }, after: { creditsBelow } }
        const entry = { ...toCaller(user), action: 'alerts.credits_below', object: projectId }
        await audit.record(tx, { ...entry, ...change })
      }),

    stop() {
      stopped = true
      return loop.stop()
    },
  }
}

/** The alerts that a user receives: those they have chosen, as far as their role allows. */
function wantedBy(role: Role, chosen: AlertKind[] | null): AlertKind[] {
  const allowed = allowedFor(role)
  if (chosen === null) return hasPermission(role, 'receiveAlertsByDefault') ? allowed : []
  return allowed.filter((kind) => chosen.includes(kind))
}

/** Reduces a user-defined name to one short line, so that the holder of a key cannot inject text into a mail. */
const inOneLine = (name: string): string =>
  name
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)

function lineOf({ kind, name, detail }: AlertRow, language: Language): string {
  const words = phrasesIn(language).alerts
  const called = inOneLine(name ?? '')
  const why = translateSentence(inOneLine(detail ?? ''), language)
  if (kind === 'instance_down') return words.instanceDown(called, why)
  if (kind === 'webhook_failing') return words.webhookFailing(called, why)
  return kind === 'credits_low' ? words.creditsLow(why) : words.paymentDue
}
