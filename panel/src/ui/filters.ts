import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * The filters of a page, kept in the URL so that views can be shared. The back button undoes a choice; typed text and
 * filters that are cleared replace the current entry of the history. `Name` must be among the search parameters that
 * the route accepts.
 */
export function useFilters<Name extends string>() {
  const values: Partial<Record<Name, string>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (next: Partial<Record<Name, string | undefined>>, options?: { replace: boolean }) => {
    void navigate({
      to: '.',
      // Keep the other parameters, including any set since this render.
      search: (now: object) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
      replace: options?.replace ?? Object.values(next).every((value) => !value),
      resetScroll: false,
    })
  }
  return { values, set }
}

/** Creates a search validator that passes only these parameters, as strings. */
export const only =
  (names: readonly string[]) =>
  (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
      }),
    )
