import { capitalize, t } from '../../phrases/phrases.ts'
import type { MenuEntry } from '../../ui/menu.tsx'
import type { Kind } from './compose.tsx'
import { KIND_ICONS } from './kind-icons.ts'

/** Menu entries that choose a message type. */
export const kindEntries = (kinds: readonly Kind[], choose: (kind: Kind) => void): MenuEntry[] =>
  kinds.map((kind) => {
    const Icon = KIND_ICONS[kind]
    return {
      label: capitalize(t.kinds[kind]),
      icon: Icon && <Icon size={16} aria-hidden />,
      act: () => choose(kind),
    }
  })
