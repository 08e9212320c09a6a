import type { ReactNode } from 'react'
import type { Tone } from './controls.tsx'

export type Step = { key: string | number; tone: Tone; title: ReactNode; text?: ReactNode }

/** The line of delivery: what was tried one after the other, and what is to come. */
export function Beads({ label, steps }: { label: string; steps: Step[] }) {
  return (
    <ol className="contas" aria-label={label}>
      {steps.map(({ key, tone, title, text }) => (
        <li key={key} className={`conta-passo ${tone}`}>
          <strong>{title}</strong>
          {text && <span className="discreto">{text}</span>}
        </li>
      ))}
    </ol>
  )
}
