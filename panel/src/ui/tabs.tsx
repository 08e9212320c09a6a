import { Tabs as Parts } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

/** Tabs with arrow-key navigation; `children` is the content of the open tab. */
export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly (readonly [name: Name, words: string])[]
  open: Name
  onOpen: (name: Name) => void
  children: ReactNode
}) {
  const { label, tabs, open, onOpen, children } = props
  return (
    <Parts.Root className="stack-small" value={open} onValueChange={(name: Name) => onOpen(name)}>
      <Parts.List className="tabs" aria-label={label} activateOnFocus>
        {tabs.map(([name, words]) => (
          <Parts.Tab key={name} value={name}>
            {words}
          </Parts.Tab>
        ))}
      </Parts.List>
      <Parts.Panel className="stack-small" value={open} tabIndex={-1}>
        {children}
      </Parts.Panel>
    </Parts.Root>
  )
}
