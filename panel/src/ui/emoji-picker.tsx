import { Popover } from '@base-ui/react/popover'
import { Suspense, type ReactElement } from 'react'
import { lazyPart } from './lazy-part.tsx'
import { Skeleton } from './controls.tsx'

const EmojiGrid = lazyPart(async () => (await import('./emoji-grid.tsx')).EmojiGrid)

/** A popover with all emoji, with search and skin tones; stays open for the next one. */
export function EmojiPicker(props: {
  /** The button that opens it. */
  trigger: ReactElement
  label: string
  onPick: (emoji: string) => void
}) {
  const { trigger, label, onPick } = props
  return (
    <Popover.Root>
      <Popover.Trigger render={trigger} />
      <Popover.Portal container={document.querySelector('main')}>
        <Popover.Positioner className="menu-place" side="top" align="start" sideOffset={4}>
          <Popover.Popup className="menu emoji-popup" aria-label={label}>
            <Suspense fallback={<Skeleton height={300} />}>
              <EmojiGrid onPick={onPick} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
