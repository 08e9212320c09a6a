import { useBlocker } from '@tanstack/react-router'
import { DiscardQuestion } from './discard-question.tsx'

/**
 * Asks before a click or key leaves the page, or the window is closed, while `isUnsaved`. Filters stay on the page;
 * `names` are search parameters whose change leaves what is edited.
 */
export function UnsavedGuard(props: { isUnsaved: () => boolean; names?: readonly string[] }) {
  const { isUnsaved, names = [] } = props
  const blocker = useBlocker({
    shouldBlockFn({ current, next }) {
      const [from, to]: Record<string, unknown>[] = [current.search, next.search]
      const leaves =
        current.pathname !== next.pathname || names.some((name) => from?.[name] !== to?.[name])
      return leaves && isUnsaved()
    },
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return <DiscardQuestion onDiscard={blocker.proceed} onStay={blocker.reset} />
}
