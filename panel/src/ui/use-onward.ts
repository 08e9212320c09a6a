import { useLocation, useNavigate, useRouter, type UseNavigateResult } from '@tanstack/react-router'

/**
 * Like `useNavigate`, for the page that follows an action: it does nothing if the user has meanwhile gone to another
 * page, which must not pull them back.
 */
export function useOnward(): UseNavigateResult<string> {
  const navigate = useNavigate()
  const router = useRouter()
  const start = useLocation({ select: ({ pathname }) => pathname })
  return async (options) => {
    if (router.latestLocation.pathname === start) await navigate(options)
  }
}
