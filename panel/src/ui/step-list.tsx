import type { ReactNode } from 'react'
import type { Tone } from './controls.tsx'

/** One step of a sequence, with the tone of its outcome. */
export type Step = { key: string | number; tone: Tone; title: ReactNode; text?: ReactNode }

/** A sequence of steps and their outcomes, such as past and scheduled delivery attempts. */
export function StepList({ label, steps }: { label: string; steps: Step[] }) {
  return (
    <ol className="step-row" aria-label={label}>
      {steps.map(({ key, tone, title, text }) => (
        <li key={key} className={`step ${tone}`}>
          <strong>{title}</strong>
          {text && <span className="quiet">{text}</span>}
        </li>
      ))}
    </ol>
  )
}
