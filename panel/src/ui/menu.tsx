import { Menu } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { useRef, type ReactElement, type ReactNode } from 'react'

/** An entry of a menu; `checked` shows it as chosen among its group. */
export type MenuEntry = {
  label: string
  icon?: ReactNode
  checked?: boolean
  disabled?: boolean
  /** It removes something, or cannot be undone. */
  danger?: boolean
  act: () => void
}
/** Entries under a heading; groups are separated by a line. */
export type MenuGroup = { title?: string; entries: MenuEntry[] }

/** A menu that opens from a button: arrow keys, type-ahead, Escape and the focus are those of the WAI-ARIA pattern. */
export function ActionMenu(props: {
  /** The button; it receives the menu's handlers and attributes. */
  trigger: ReactElement
  groups: MenuGroup[]
  side?: 'top' | 'bottom'
  align?: 'start' | 'end'
  /** Returns what gets the focus after an entry was chosen, instead of the button. */
  focusAfter?: () => HTMLElement | null
}) {
  const { trigger, groups, side = 'bottom', align = 'start', focusAfter } = props
  const isChosen = useRef(false)
  const finalFocus = () => (isChosen.current ? focusAfter?.() : null) ?? true
  return (
    <Menu.Root
      modal={false}
      onOpenChange={(opens) => {
        if (opens) isChosen.current = false
      }}
    >
      <Menu.Trigger render={trigger} />
      {/* Within the main landmark, where screen readers look for content. */}
      <Menu.Portal container={document.querySelector('main')}>
        <Menu.Positioner className="menu-place" side={side} align={align} sideOffset={4}>
          <Menu.Popup className="menu" finalFocus={finalFocus}>
            {groups.map(({ title, entries }, index) => (
              <Menu.Group key={title ?? entries[0]?.label} className="menu-group">
                {index > 0 && <Menu.Separator className="menu-line" />}
                {title && <Menu.GroupLabel className="menu-title">{title}</Menu.GroupLabel>}
                {entries.map((entry) => (
                  <Entry
                    key={entry.label}
                    entry={entry}
                    onChoose={() => (isChosen.current = true)}
                  />
                ))}
              </Menu.Group>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Entry({ entry, onChoose }: { entry: MenuEntry; onChoose: () => void }) {
  const { label, icon, checked, disabled = false, danger = false, act } = entry
  const choose = () => {
    onChoose()
    act()
  }
  const mark = checked ? <Check size={16} aria-hidden /> : icon
  const content = (
    <>
      <span className="menu-icon">{mark}</span> <span className="truncate">{label}</span>
    </>
  )
  if (checked === undefined)
    return (
      <Menu.Item
        className={danger ? 'menu-item danger' : 'menu-item'}
        disabled={disabled}
        onClick={choose}
      >
        {content}
      </Menu.Item>
    )
  return (
    <Menu.CheckboxItem
      className="menu-item"
      checked={checked}
      disabled={disabled}
      closeOnClick
      onCheckedChange={choose}
    >
      {content}
    </Menu.CheckboxItem>
  )
}
