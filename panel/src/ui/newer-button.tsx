import { t } from '../phrases/phrases.ts'

/** Button that shows the newer rows that a list holds back, with their number. */
export function NewerButton({ newer, show }: { newer: number; show: () => void }) {
  return newer > 0 ? (
    <button type="button" className="button" onClick={show}>
      {t.common.newer(newer)}
    </button>
  ) : null
}
