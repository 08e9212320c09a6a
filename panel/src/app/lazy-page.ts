import { lazyRouteComponent } from '@tanstack/react-router'
import { isServerReachable } from '../data/reachable.ts'
import { ScriptUnavailable } from '../ui/lazy-part.tsx'

type Component = () => React.ReactNode

/** Marks that the panel was reloaded because of a missing script, so that it is not reloaded again and again. */
const RELOADED_KEY = 'recado.recarregado'

/**
 * Declares a page whose script is loaded when it is opened. If the script cannot be loaded although the server responds,
 * the server has been upgraded and has scripts of other names: the panel is reloaded, once. Otherwise the page's error
 * component says that the server is unreachable, and the shell stays.
 */
export const lazyPage = (load: () => Promise<Component>) =>
  lazyRouteComponent(async () => {
    try {
      const page = await load()
      sessionStorage.removeItem(RELOADED_KEY)
      return { default: page }
    } catch (cause) {
      if (sessionStorage.getItem(RELOADED_KEY) === null && (await isServerReachable())) {
        sessionStorage.setItem(RELOADED_KEY, '1')
        location.reload()
        return await new Promise<never>(() => {})
      }
      throw new ScriptUnavailable(cause)
    }
  })
