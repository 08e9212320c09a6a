import type { Label } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { trimmedText } from '../../ui/form.tsx'

/** Reads the values of `LabelFields` from their form. */
export const labelOf = (form: FormData) => ({
  name: trimmedText(form, 'name'),
  color: trimmedText(form, 'color'),
})

/** The form fields of a label: name and color. */
export function LabelFields({ label }: { label?: Label }) {
  return (
    <div className="fields">
      <Field label={t.common.name} name="name" defaultValue={label?.name} required />
      <Field
        label={t.labels.color}
        name="color"
        type="color"
        defaultValue={label?.color ?? '#3b5bdb'}
      />
    </div>
  )
}
