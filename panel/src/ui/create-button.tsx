import { Link } from '@tanstack/react-router'
import { usePlace } from './page.tsx'

/** Makes something new. Where the plan shuts it, it stays to be seen, with what opens it: `lacks`, which leads to the plan. */
export function CreateButton(props: {
  label: string
  allowed: boolean
  lacks: string
  onCreate: () => void
}) {
  const { label, allowed, lacks, onCreate } = props
  const { modo } = usePlace()
  return (
    <div className="linha">
      <button type="button" className="botao principal" disabled={!allowed} onClick={onCreate}>
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
