import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { t } from '../phrases/phrases.ts'

/** The button that closes a drawer or another dialog of Base UI. */
export function DialogClose() {
  return (
    <Dialog.Close className="button icon plain" aria-label={t.common.close} title={t.common.close}>
      <X size={16} aria-hidden />
    </Dialog.Close>
  )
}
