import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { DialogClose } from './dialog-close.tsx'

/**
 * A panel at the right edge with the details of a row; the page beside it stays usable, so that another row can be
 * opened at once. Escape and the close button close it.
 */
export function Drawer(props: {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  /** Buttons below the content, always in view. */
  actions?: ReactNode
}) {
  const { title, onClose, children, actions } = props
  return (
    <Dialog.Root
      open
      modal={false}
      disablePointerDismissal
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Popup className="drawer">
          <div className="drawer-head">
            <Dialog.Title className="truncate">{title}</Dialog.Title>
            <DialogClose />
          </div>
          <div className="drawer-body">{children}</div>
          {actions && <div className="drawer-actions">{actions}</div>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A fact and its value, for the summary at the top of a drawer; facts without a value are left out. */
export type Fact = readonly [name: string, value: ReactNode]

/** What a reader asks first, as a list of names and values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
