import { type ReactNode } from 'react'

/** A titled card of the gallery. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
