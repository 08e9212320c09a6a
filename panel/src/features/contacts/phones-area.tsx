import { t } from '../../phrases/phrases.ts'
import { Area } from '../../ui/controls.tsx'

/** A field for several phone numbers; `splitPhones` reads its text. */
export function PhonesArea(props: { label: string; name: string; rows: number }) {
  return <Area {...props} hint={t.contacts.optOutHint} required />
}
