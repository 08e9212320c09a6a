import { useState } from 'react'
import type { KeptEvent } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Time } from '../../ui/time.tsx'

/** A curl command that delivers the event to a local server, unsigned since signing needs the webhook's secret. */
function commandFor(envelope: KeptEvent): string {
  const body = JSON.stringify(envelope).replaceAll("'", String.raw`'\''`)
  return [
    'curl -X POST http://localhost:3000/webhook',
    `-H 'Content-Type: application/json'`,
    `-H 'X-Service-Event: ${envelope.event}'`,
    `-d '${body}'`,
  ].join(' \\\n  ')
}

/** An event as one line, in words (`about`) or by its name, that expands to its full envelope. */
export function EventRow({ envelope, about }: { envelope: KeptEvent; about?: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="framed-item" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {about ? <span>{about}</span> : <code>{envelope.event}</code>}{' '}
        <span className="quiet">
          <Time at={envelope.timestamp} within />
        </span>
      </summary>
      {open && (
        <>
          <JsonTree value={envelope} />
          <EnvelopeActions envelope={envelope} />
        </>
      )}
    </details>
  )
}

/** Buttons that copy an envelope as JSON and as a command. */
export function EnvelopeActions({ envelope }: { envelope: KeptEvent }) {
  return (
    <div className="row">
      <CopyButton text={JSON.stringify(envelope, null, 2)} label={t.events.copy} />
      <CopyButton text={commandFor(envelope)} label={t.events.asCurl} />
    </div>
  )
}
