import { t } from '../phrases/phrases.ts'
import { Door } from './door.tsx'
import { ErrorBlock } from './error-block.tsx'

/** Shown when a page cannot load: its script is missing, or the signed-in user could not be read. */
export function Fault({ error }: { error: unknown }) {
  return (
    <Door title={t.common.failed}>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </Door>
  )
}

/** Shown inside the shell, which stays, when a page cannot load. */
export function PageFault({ error }: { error: unknown }) {
  return (
    <div className="pilha">
      <h1>{t.common.failed}</h1>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </div>
  )
}
