import { text } from './text.ts'

/** Every kind that can be sent. Route, reference and record come from this list. */
export const kinds = [text] as const
