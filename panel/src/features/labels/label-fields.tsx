import type { Label } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { trimmedText } from '../../ui/form.tsx'

/** Reads the values of `LabelFields` from their form. */
export const labelOf = (form: FormData) => ({
  name: trimmedText(form, 'name'),
  color: trimmedText(form, 'color'),
})

const COLORS = [
  ['#3b5bdb', 'blue'],
  ['#0c8599', 'teal'],
  ['#2b8a3e', 'green'],
  ['#e8a200', 'yellow'],
  ['#e8590c', 'orange'],
  ['#e03131', 'red'],
  ['#c2255c', 'pink'],
  ['#7048e8', 'purple'],
  ['#868e96', 'gray'],
] as const

/** The form fields of a label: name and color. A color that is not among those offered, such as a phone's, is kept. */
export function LabelFields({ label }: { label?: Label }) {
  const chosen = label?.color.toLowerCase() ?? COLORS[0][0]
  const isOffered = COLORS.some(([color]) => color === chosen)
  const offered: (readonly [string, string])[] = COLORS.map(
    ([color, name]) => [color, t.labelColors[name]] as const,
  )
  return (
    <>
      <Field label={t.common.name} name="name" defaultValue={label?.name} required />
      <fieldset className="swatches">
        <legend>{t.labels.color}</legend>
        {[...offered, ...(isOffered ? [] : [[chosen, chosen] as const])].map(([color, name]) => (
          <label key={color} title={name}>
            <input type="radio" name="color" value={color} defaultChecked={color === chosen} />
            <svg width="24" height="24" aria-hidden>
              <circle cx="12" cy="12" r="10" fill={color} />
            </svg>
            <span className="visually-hidden">{name}</span>
          </label>
        ))}
      </fieldset>
    </>
  )
}
