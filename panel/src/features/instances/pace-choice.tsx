import { t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'
import { PACES } from '../../../../src/model/vocabulary.ts'

/** How carefully an instance writes to people who have not written to it. */
export type Pace = (typeof PACES)[number]

/** Chooses the pace of messages that start a chat. */
export function PaceChoice({ defaultValue }: { defaultValue: Pace }) {
  return (
    <Choice
      label={t.pace.label}
      hint={t.pace.hint}
      name="pace"
      defaultValue={defaultValue}
      options={PACES.map((pace) => [pace, t.pace[pace]])}
    />
  )
}
