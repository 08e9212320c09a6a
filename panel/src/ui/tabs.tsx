import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'

/** Tabs with arrow-key navigation; `children` is the content of the open tab. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly (readonly [name: Name, words: string])[]
  open: Name
  onOpen: (name: Name) => void
  children: ReactNode
}) {
  const { label, tabs, open, onOpen, children } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  function move(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = tabs.findIndex(([name]) => name === open)
    const next = (index + step + tabs.length) % tabs.length
    const [name] = tabs[next] ?? []
    if (name) onOpen(name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className="stack-small">
      <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(([name, words]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === open}
            aria-controls={`${id}-painel`}
            tabIndex={name === open ? 0 : -1}
            onClick={() => onOpen(name)}
          >
            {words}
          </button>
        ))}
      </div>
      <div
        className="stack-small"
        role="tabpanel"
        id={`${id}-painel`}
        aria-labelledby={`${id}-${open}`}
      >
        {children}
      </div>
    </div>
  )
}
