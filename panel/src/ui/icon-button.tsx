import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'

/** A button without a frame that shows only an icon; `label` is its tooltip and what screen readers say. */
export function IconButton(
  props: ButtonHTMLAttributes<HTMLButtonElement> & {
    icon: LucideIcon
    label: string
    /** Size of the icon in pixels. */
    size?: number
    ref?: Ref<HTMLButtonElement>
  },
) {
  const { icon: Icon, label, size = 16, className = 'button icon plain', ...button } = props
  return (
    <button type="button" className={className} title={label} aria-label={label} {...button}>
      <Icon size={size} aria-hidden />
    </button>
  )
}
