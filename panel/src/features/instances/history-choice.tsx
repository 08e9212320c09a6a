import { t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'

const SYNCS = ['none', 'recent', 'full'] as const
/** Which messages from before the pairing are stored. */
export type HistorySync = (typeof SYNCS)[number]

/** Chooses which messages from before the pairing are stored. */
export function HistoryChoice({ defaultValue }: { defaultValue: HistorySync }) {
  return (
    <Choice
      label={t.pastMessages.label}
      hint={t.pastMessages.hint}
      name="historySync"
      defaultValue={defaultValue}
      options={SYNCS.map((sync) => [sync, t.pastMessages[sync]])}
    />
  )
}
