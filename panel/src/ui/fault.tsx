import { ErrorBlock } from './error-block.tsx'

/** What is shown when the shell itself cannot be. */
export function Fault({ error }: { error: unknown }) {
  return (
    <div className="porta">
      <main>
        <ErrorBlock error={error} retry={() => location.reload()} />
      </main>
    </div>
  )
}
