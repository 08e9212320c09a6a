import { useState } from 'react'
import type { KeptEvent } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from './copy-button.tsx'
import { JsonTree } from './json-tree.tsx'
import { Time } from './time.tsx'

/** An event in a line, with its whole envelope behind it. */
export function EventRow({ envelope, about }: { envelope: KeptEvent; about?: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="cartao evento" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{envelope.event}</code> {about && <>· {about} </>}·{' '}
        <Time at={envelope.timestamp} within />
      </summary>
      {open && (
        <>
          <JsonTree value={envelope} />
          <div>
            <CopyButton text={JSON.stringify(envelope, null, 2)} label={t.events.copy} />
          </div>
        </>
      )}
    </details>
  )
}
