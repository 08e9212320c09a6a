import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * The filters of a page, kept in the URL so that views can be shared. The back button undoes a choice; typed text and
 * filters that are cleared replace the current entry of the history. `Name` must be among the search parameters that
 * the route accepts.
 */
export function useFilters<Name extends string>() {
  const values = toStrings(useSearch({ strict: false })) as Partial<Record<Name, string>>
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

/** Search parameters as they were written: the router reads digits, such as a phone number, as a number. */
const toStrings = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  )

/** Creates a search validator that passes only these parameters, as strings. */
export const only =
  (names: readonly string[]) =>
  (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(toStrings(search)).filter(([name]) => names.includes(name)))
