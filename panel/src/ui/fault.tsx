import { t } from '../phrases/phrases.ts'
import { Door } from './door.tsx'
import { ErrorBlock } from './error-block.tsx'

/** What is shown when a page itself cannot be: its script did not come, or the server does not say who is here. */
export function Fault({ error }: { error: unknown }) {
  return (
    <Door title={t.common.failed}>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </Door>
  )
}

/** The same within the shell, which stays. */
export function PageFault({ error }: { error: unknown }) {
  return (
    <div className="pilha">
      <h1>{t.common.failed}</h1>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </div>
  )
}
