/** The result of looking up one phone; `input` is the phone as requested. */
export type NumberLookup = {
  input: string
  exists: boolean
  phone: string | null
  lid: string | null
  /** Transient; do not cache. */
  transient?: true
}
