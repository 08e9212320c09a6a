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

/** An event as one line, by its name or in words, that expands to its full envelope. */
export function EventRow(props: {
  envelope: KeptEvent
  /** What the event is about, beside its name. */
  about?: string
  /** What has happened, instead of the name of the event. */
  words?: string
}) {
  const { envelope, about, words } = props
  const [open, setOpen] = useState(false)
  return (
    <details className="framed-item" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {words ? <span>{words}</span> : <code>{envelope.event}</code>}{' '}
        {about && <span>{about}</span>}{' '}
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
