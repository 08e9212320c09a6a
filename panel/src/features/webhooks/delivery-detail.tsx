import { useQuery } from '@tanstack/react-query'
import { ApiError, callPanel } from '../../data/api.ts'
import type { DeliveredEvent } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { StatusBadge, type Tone } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Load } from '../../ui/load.tsx'
import { StepList, type Step } from '../../ui/step-list.tsx'
import { Countdown, Time } from '../../ui/time.tsx'
import { EnvelopeActions } from '../events/event-row.tsx'
import { failureHint } from '../../data/failure-hint.ts'

/** The tone of each outcome of a delivery. */
export const OUTCOME_TONES: Record<DeliveredEvent['outcome'], Tone> = {
  success: 'ok',
  retrying: 'warn',
  failed: 'bad',
}

/** The attempts of a delivery, and the one that is next. */
function stepsOf({ attempts, nextAttemptAt }: DeliveredEvent): Step[] {
  const done = attempts.map(
    ({ id, attempt, outcome, statusCode, errorReason, durationMs, createdAt }): Step => ({
      key: id,
      tone: outcome === 'success' ? 'ok' : 'bad',
      title: `${t.webhooks.nth(attempt)} · ${statusCode ?? t.webhooks.noAnswer}`,
      text: (
        <>
          <Time at={createdAt} /> · {formatted(durationMs)} ms
          {errorReason && (
            <>
              <br />
              {errorReason}
            </>
          )}
        </>
      ),
    }),
  )
  if (!nextAttemptAt) return done
  const next: Step = {
    key: 'next',
    tone: 'warn',
    title: t.webhooks.next,
    text: (
      <>
        {t.webhooks.in} <Countdown until={nextAttemptAt} />
      </>
    ),
  }
  return [...done, next]
}

/** One delivery: its attempts, and what was sent. */
export function DeliveryDetail(props: {
  webhookId: string
  one: DeliveredEvent
  enabled: boolean
  /** The names of the webhook's own headers. */
  headerNames: string[]
  onClose: () => void
}) {
  const { webhookId, one, enabled, headerNames, onClose } = props
  const { event, outcome, attempts, eventId } = one
  const last = attempts.at(-1)
  const hint = last && last.outcome !== 'success' ? failureHint(last) : null
  const wasDropped = outcome === 'failed' && attempts.length < 6
  return (
    <Drawer
      title={<code>{event}</code>}
      onClose={onClose}
      actions={<CopyButton text={eventId} label={t.requests.copyId} />}
    >
      <StatusBadge tone={OUTCOME_TONES[outcome]}>{t.webhooks[outcome]}</StatusBadge>
      <section aria-labelledby="tentativas">
        <h3 id="tentativas">{t.webhooks.attempts(attempts.length)}</h3>
        <StepList label={t.webhooks.attempt} steps={stepsOf(one)} />
        {hint && (
          <p>
            <strong>{t.hints.title}:</strong> {hint}
          </p>
        )}
        {wasDropped && <p className="quiet">{t.webhooks.dropped}</p>}
        {outcome === 'retrying' && !enabled && <p className="quiet">{t.webhooks.willDrop}</p>}
      </section>
      <SentHeaders webhookId={webhookId} one={one} names={headerNames} />
      <Payload webhookId={webhookId} eventId={eventId} />
    </Drawer>
  )
}

/** The headers that were sent; what changes with each attempt, and what only the server knows, in words. */
function SentHeaders(props: { webhookId: string; one: DeliveredEvent; names: string[] }) {
  const { webhookId, one, names } = props
  const headers: [name: string, value: string][] = [
    ['Content-Type', 'application/json'],
    ['X-Service-Event', one.event],
    ['X-Service-Webhook-Id', webhookId],
    ['X-Service-Signature', t.hints.each],
    ['webhook-id', one.eventId],
    ['webhook-timestamp', t.hints.each],
    ['webhook-signature', t.hints.each],
    ...names.map((name): [string, string] => [name, t.hints.own]),
  ]
  return (
    <details>
      <summary>{t.hints.headers}</summary>
      <dl className="facts headers">
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** The envelope that was sent, while the server keeps it. */
function Payload({ webhookId, eventId }: { webhookId: string; eventId: string }) {
  const { mode } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'payload', webhookId, eventId],
    queryFn: () =>
      callPanel('GET /panel/api/{mode}/webhooks/{id}/events/{eventId}', {
        params: [mode, webhookId, eventId],
      }),
    staleTime: Infinity,
  })
  return (
    <section className="stack-small" aria-label={t.webhooks.payload}>
      <strong>{t.webhooks.payload}</strong>
      {query.error instanceof ApiError && query.error.status === 404 ? (
        <p className="quiet">{t.webhooks.payloadGone}</p>
      ) : (
        <Load query={query} height={60}>
          {(envelope) => (
            <>
              <JsonTree value={envelope} />
              <EnvelopeActions envelope={envelope} />
            </>
          )}
        </Load>
      )}
    </section>
  )
}
