import { Link } from '@tanstack/react-router'
import { usePanel } from '../shell/page.tsx'

/** Button that creates something. If the plan does not allow it, it is disabled beside a link to the plan (`lacks`). */
export function CreateButton(props: {
  label: string
  allowed: boolean
  upgradeText: string
  onCreate: () => void
}) {
  const { label, allowed, upgradeText: lacks, onCreate } = props
  const { modo } = usePanel()
  return (
    <div className="row">
      <button type="button" className="button primary" disabled={!allowed} onClick={onCreate}>
        {label}
      </button>
      {!allowed && (
        <Link to="/$modo/plano" params={{ modo }}>
          {lacks}
        </Link>
      )}
    </div>
  )
}
