import { findUnknownInstance } from '../../platform/db/known-instances.sql.ts'
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { EVENT_NAMES } from '../catalog/index.ts'
import type { Caller } from '../../kernel/principal.ts'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { parseTarget, type Target } from '../../platform/egress/target-url.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { CreatedWebhook, CreateWebhookBody, Webhook } from './webhooks.schemas.ts'
import type { MESSAGE_TYPES } from '../../model/records.schemas.ts'
import type { ChatType } from '../../model/vocabulary.ts'
import { OPT_IN_NAMES, OPT_INS } from '../events.schemas.ts'
import { readHeaders } from './options.ts'
import {
  findTargets,
  findWebhook,
  insertWebhook,
  listWebhooks,
  removeWebhook,
  replaceSecret,
  setWebhookEnabled,
  webhookExists,
  type WebhookRow,
} from './webhooks.sql.ts'

/** Maximum webhooks per Project and mode. */
const MAX_WEBHOOKS = 100
const SECRET_PREFIX = 'whsec_'
const HOUR_MS = 3600_000

/** A webhook with everything needed to deliver to it. */
export type WebhookTarget = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  url: string
  /** The URL, or the reason why it must not be called. */
  parsed: Target
  enabled: boolean
  /** Incremented by pausing, resuming and removing; deliveries of an earlier generation are dropped. */
  generation: number
  /** Key objects instead of bytes: they sign five times faster, and logging them does not print the key. */
  keys: SigningKeys
  /** The keys of the replaced secret, which sign until `until`, in epoch milliseconds. */
  previous: { keys: SigningKeys; until: number } | null
  /** Its own request headers, by name in lower case. */
  headers: Record<string, string>
  /** Whether deliveries include a link to the file of a message. */
  media: 'link' | null
  /** The Project is moving to another installation: its deliveries wait. */
  moves: boolean
}
/** The HMAC keys derived from one secret: `service` for X-Service-Signature, `standard` for Standard Webhooks. */
export type SigningKeys = { service: KeyObject; standard: KeyObject }
/** Manages webhooks; see `createWebhooksService`. */
export type WebhooksService = ReturnType<typeof createWebhooksService>

/** Creates the service that manages webhooks and reads delivery targets (G46). */
export function createWebhooksService(deps: {
  clock: Clock
  seal: Seal
  policy: AddressPolicy
  audit: AuditService
  publish: BusTopics['publish']
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, seal, policy, audit, publish, onError } = deps
  const now = () => new Date(clock.now())

  return {
    /**
     * Creates a webhook and returns it with its secret, which cannot be read again. Throws 400 for an invalid name or
     * URL, or beyond 100 webhooks.
     */
    async create(
      db: Db,
      scope: Scope,
      caller: Caller,
      input: CreateWebhookBody,
    ): Promise<CreatedWebhook> {
      const name = input.name.trim()
      if (name === '')
        throw fail('bad_request', (say) => say.webhooks.nameRequired, { field: 'name' })
      const target = parseTarget(input.url, policy)
      if (target.problem) {
        const { problem } = target
        throw fail('bad_request', (say) => say.webhooks.url(say.webhooks.urlProblem[problem]), {
          field: 'url',
        })
      }
      const id = newId('whk', clock.now())
      const secret = newSecret()
      const secretSealed = seal.close(Buffer.from(secret), id)
      const events = [...new Set(input.events ?? [])]
      const headers = readHeaders(input.headers ?? {})
      const headerNames = Object.keys(headers)
      const {
        instanceIds = null,
        chatTypes = null,
        directions = null,
        types = null,
      } = input.filter ?? {}
      const unknown = await findUnknownInstance(db, scope, instanceIds ?? [], now())
      if (unknown !== null)
        throw fail('bad_request', (say) => say.webhooks.unknownInstance(unknown), {
          field: 'filter.instanceIds',
        })
      const row = {
        id,
        name,
        url: input.url,
        events,
        secretSealed,
        include: (input.include ?? []).map((name) => OPT_INS[name]),
        onlyInstances: instanceIds,
        onlyChatTypes: chatTypes,
        onlyDirections: directions,
        onlyKinds: types,
        media: input.media ?? null,
        headerNames,
        headersSealed:
          headerNames.length > 0
            ? seal.close(Buffer.from(JSON.stringify(headers)), `${id}/headers`)
            : null,
        previousSecretUntil: null,
        now: now(),
        most: MAX_WEBHOOKS,
      }
      const made = await db.transaction(async (tx) => {
        const inserted = await insertWebhook(tx, scope, row)
        const change = { before: null, after: { events } }
        if (inserted) await audit.recordAction(tx, scope, caller, 'webhook.create', id, change)
        return inserted
      })
      if (!made) throw fail('bad_request', (say) => say.webhooks.limit)
      const untouched = { lastSuccessAt: null, lastFailureAt: null, lastFailureReason: null }
      return { ...render({ ...row, ...untouched, enabled: true, createdAt: row.now }), secret }
    },

    /**
     * Returns the webhooks of a scope, newest first; up to `limit + 1` of them, so that callers can detect a next page.
     */
    async list(
      db: Db,
      scope: Scope,
      page: { limit: number | null; offset: number },
    ): Promise<Webhook[]> {
      const most = page.limit === null ? null : page.limit + 1
      const rows = await listWebhooks(db, scope, { limit: most, offset: page.offset, now: now() })
      return rows.map(render)
    },

    /** Returns a webhook. Throws 404 if it is not in the scope. */
    async get(db: Db, scope: Scope, id: string): Promise<Webhook> {
      const row = await findWebhook(db, scope, id, now())
      if (!row) throw fail('not_found', (say) => say.webhooks.notFound)
      return render(row)
    },

    /**
     * Pauses or resumes a webhook. Deliveries pending at a pause are never sent. Throws 404 if it is not in the scope.
     */
    setEnabled: (
      db: Db,
      scope: Scope,
      caller: Caller,
      id: string,
      enabled: boolean,
    ): Promise<Webhook> =>
      db.transaction(async (tx) => {
        const row = await setWebhookEnabled(tx, scope, id, enabled, now())
        if (!row) throw fail('not_found', (say) => say.webhooks.notFound)
        const act = enabled ? 'webhook.resume' : 'webhook.pause'
        if (row.changed) await audit.recordAction(tx, scope, caller, act, id)
        tx.afterCommit(() => publish('webhooks', { webhookId: id }))
        return render(row)
      }),

    /**
     * Replaces the secret and returns the new one, which cannot be read again. Until the overlap ends, deliveries carry
     * the signatures of both. Throws 404 if the webhook is not in the scope, and 409 while an earlier overlap lasts:
     * a third secret would cut short the overlap promised for the first.
     */
    rotateSecret: (
      db: Db,
      scope: Scope,
      caller: Caller,
      id: string,
      overlapHours: number,
    ): Promise<CreatedWebhook> =>
      db.transaction(async (tx) => {
        const secret = newSecret()
        const until = overlapHours > 0 ? new Date(clock.now() + overlapHours * HOUR_MS) : null
        const secretSealed = seal.close(Buffer.from(secret), id)
        const row = await replaceSecret(tx, scope, id, { secretSealed, until, now: now() })
        if (!row) {
          const until = (await findWebhook(tx, scope, id, now()))?.previousSecretUntil
          if (!until) throw fail('not_found', (say) => say.webhooks.notFound)
          throw fail('conflict', (say) => say.webhooks.rotating(until.toISOString()), {
            field: 'overlapHours',
          })
        }
        await audit.recordAction(tx, scope, caller, 'webhook.rotate-secret', id)
        tx.afterCommit(() => publish('webhooks', { webhookId: id }))
        return { ...render(row), secret }
      }),

    /** Removes a webhook and its pending deliveries. Throws 404 if it is not in the scope. */
    remove: (db: Db, scope: Scope, caller: Caller, id: string): Promise<void> =>
      db.transaction(async (tx) => {
        const removed = await removeWebhook(tx, scope, id, now())
        if (!removed) throw fail('not_found', (say) => say.webhooks.notFound)
        await audit.recordAction(tx, scope, caller, 'webhook.delete', id)
        tx.afterCommit(() => publish('webhooks', { webhookId: id }))
      }),

    /** Throws 404 unless the webhook is in the scope. */
    async assertExists(db: Db, scope: Scope, id: string): Promise<void> {
      const exists = await webhookExists(db, scope, id, now())
      if (!exists) throw fail('not_found', (say) => say.webhooks.notFound)
    },

    /** Reads the current targets of these webhooks, without removed ones and those whose secret cannot be opened. */
    async targets(db: Db, ids: string[]): Promise<WebhookTarget[]> {
      const rows = await findTargets(db, ids)
      return rows.flatMap((row) => {
        const { id, projectId, mode, url, enabled, generation, media, moves } = row
        const { headersSealed, previousSecretSealed, previousSecretUntil } = row
        const open = (sealed: Buffer, context: string) => seal.open(sealed, context).toString()
        try {
          const keys = signingKeys(open(row.secretSealed, id))
          const previous =
            previousSecretSealed && previousSecretUntil
              ? {
                  keys: signingKeys(open(previousSecretSealed, id)),
                  until: previousSecretUntil.getTime(),
                }
              : null
          const headers = headersSealed
            ? (JSON.parse(open(headersSealed, `${id}/headers`)) as Record<string, string>)
            : {}
          const parsed = parseTarget(url, policy)
          const target = { id, projectId, mode, url, parsed, enabled, generation, media, moves }
          return [{ ...target, keys, previous, headers }]
        } catch (error) {
          // Sealed with another master key, or corrupt: skip it, so that it does not block the other webhooks.
          onError(error, `opening the secrets of webhook ${id}`)
          return []
        }
      })
    },
  }
}

/**
 * Derives the signing keys of a secret: its whole text is the key of X-Service-Signature, the decoded base64 after
 * `whsec_` that of the Standard Webhooks signature (G46).
 */
export function signingKeys(secret: string): SigningKeys {
  const standard = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return { service: createSecretKey(secret, 'utf8'), standard: createSecretKey(standard) }
}

const newSecret = () => `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`

function render(row: WebhookRow): Webhook {
  const { onlyInstances, onlyChatTypes, onlyDirections, onlyKinds } = row
  const filter = {
    instanceIds: onlyInstances,
    chatTypes: onlyChatTypes as ChatType[] | null,
    directions: onlyDirections as ('inbound' | 'outbound')[] | null,
    types: onlyKinds as (typeof MESSAGE_TYPES)[number][] | null,
  }
  const isFiltered = Object.values(filter).some((one) => one !== null)
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: EVENT_NAMES.filter((name) => row.events.includes(name)),
    enabled: row.enabled,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailureAt: row.lastFailureAt?.toISOString() ?? null,
    lastFailureReason: row.lastFailureReason,
    createdAt: row.createdAt.toISOString(),
    ...(row.include.length > 0
      ? { include: OPT_IN_NAMES.filter((name) => row.include.includes(OPT_INS[name])) }
      : {}),
    ...(isFiltered ? { filter } : {}),
    ...(row.media ? { media: row.media } : {}),
    ...(row.headerNames.length > 0 ? { headerNames: row.headerNames } : {}),
    ...(row.previousSecretUntil
      ? { previousSecretUntil: row.previousSecretUntil.toISOString() }
      : {}),
  }
}
