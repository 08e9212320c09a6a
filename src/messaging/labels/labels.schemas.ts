import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Page, PageQuery } from '../../kernel/schemas.ts'

/** A label of a business account; `color` is `#rrggbb` (G37). */
export const Label = Type.Object(
  { id: Type.String(), name: Type.String(), color: Type.String() },
  {
    title: 'Label',
    examples: [{ id: 'lab_01jcqz3v8xf6k9m2n4p5r7s8t9', name: 'Pago', color: '#00a884' }],
  },
)
export type Label = Static<typeof Label>
/** A page of labels, newest first. */
export const LabelList = Page(Label, 'LabelList')
/** Pagination of the label list. */
export const ListLabelsQuery = Type.Object(PageQuery)

/** The number of conversations per label; labels without conversations are omitted. */
export const LabelCounts = Type.Object(
  { items: Type.Array(Type.Object({ labelId: Type.String(), conversations: Type.Integer() })) },
  { title: 'LabelCounts' },
)

const name = Type.String({ ...NOT_BLANK, maxLength: 100, examples: ['Pago'] })
const color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#00a884'] })

/** Body that creates a label; the service chooses a default color if it is omitted. */
export const CreateLabelBody = Type.Object(
  { name, color: Type.Optional(color) },
  { additionalProperties: false, title: 'NewLabel' },
)
export type CreateLabelBody = Static<typeof CreateLabelBody>
/** Body that renames or recolors a label; at least one field is required. */
export const PatchLabelBody = Type.Object(
  { name: Type.Optional(name), color: Type.Optional(color) },
  { additionalProperties: false, title: 'LabelChange' },
)
export type PatchLabelBody = Static<typeof PatchLabelBody>
