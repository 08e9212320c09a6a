import { Type, type Static } from 'typebox'

const page = Type.String({ minLength: 1, maxLength: 100 })
const name = Type.String({ minLength: 1, maxLength: 60 })

/** A named set of filters of a panel page; `search` is the query string of its URL. */
export const SavedView = Type.Object(
  { page, name, search: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false, title: 'SavedView' },
)
export type SavedView = Static<typeof SavedView>
/** The saved views of the signed-in user. */
export const SavedViews = Type.Object({ items: Type.Array(SavedView) })
/** The view to delete. */
export const SavedViewKey = Type.Object({ page, name })
