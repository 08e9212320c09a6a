import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import openInBrowser from 'open'

const OPENER_MS = 5000

/** Opens a page; returns false if the system's opener is missing, or says within five seconds that it has no browser. */
export async function showInBrowser(address: string): Promise<boolean> {
  try {
    const opener = await openInBrowser(address)
    opener.ref()
    const ended = once(opener, 'exit').then(([code]) => code === 0)
    const stays = pause(OPENER_MS, true, { ref: false })
    const isOpen = await Promise.race([ended, stays])
    opener.unref()
    return isOpen
  } catch {
    return false
  }
}
