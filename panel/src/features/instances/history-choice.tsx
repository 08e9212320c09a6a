import { t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'
import { HISTORY_SYNCS } from '../../../../src/model/vocabulary.ts'

/** Which messages from before the pairing are stored. */
export type HistorySync = (typeof HISTORY_SYNCS)[number]

/** Chooses which messages from before the pairing are stored. */
export function HistoryChoice({ defaultValue }: { defaultValue: HistorySync }) {
  return (
    <Choice
      label={t.pastMessages.label}
      hint={t.pastMessages.hint}
      name="historySync"
      defaultValue={defaultValue}
      options={HISTORY_SYNCS.map((sync) => [sync, t.pastMessages[sync]])}
    />
  )
}
