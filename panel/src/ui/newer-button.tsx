import { t } from '../phrases/phrases.ts'

/** How many rows wait above the first one, and a way to them. */
export function NewerButton({ newer, show }: { newer: number; show: () => void }) {
  return newer > 0 ? (
    <button type="button" className="botao" onClick={show}>
      {t.common.newer(newer)}
    </button>
  ) : null
}
