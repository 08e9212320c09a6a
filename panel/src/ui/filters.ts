import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * What a page is asked for, in its address: so a view can be sent to a colleague, and the browser's way back works. The
 * names are those that the page's route lets pass.
 */
export function useFilters<Name extends string>() {
  const values: Partial<Record<Name, string>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (next: Partial<Record<Name, string | undefined>>, options?: { replace: boolean }) => {
    void navigate({
      to: '.',
      // What else the address asks by now stays.
      search: (now: object) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
      replace: options?.replace ?? true,
      resetScroll: false,
    })
  }
  return { values, set }
}

/** Lets these names through, as texts. */
export const only =
  (names: readonly string[]) =>
  (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
      }),
    )
