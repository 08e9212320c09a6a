import { ApiError } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'

/** Whether only a template may be sent to the contact. */
export const isOutsideWindow = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'OUTSIDE_WINDOW'

/** Says that only a template may be sent to the contact, and offers one. */
export function OutsideWindow({ onTemplate }: { onTemplate: () => void }) {
  return (
    <div className="row spread" role="alert">
      <p>{t.official.outsideWindow}</p>
      <button type="button" className="button" onClick={onTemplate}>
        {t.official.sendTemplate}
      </button>
    </div>
  )
}
