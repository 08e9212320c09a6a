import { lazyRouteComponent } from '@tanstack/react-router'
import { whyUnavailable } from '../data/script-unavailable.ts'

type Component = () => React.ReactNode

/**
 * Declares a page whose script is loaded when it is opened. If that fails, the page's error component says why, and the
 * shell stays; see `whyUnavailable`.
 */
export const lazyPage = (load: () => Promise<Component>) =>
  lazyRouteComponent(async () => {
    try {
      return { default: await load() }
    } catch (cause) {
      throw await whyUnavailable(cause)
    }
  })
