import type { AddressPolicy } from '../kernel/address-policy.ts'
import type { Seal } from '../kernel/seal.ts'
import { parseProxyUrl } from '../platform/egress/proxy-tunnel.ts'
import { literalAddress } from '../platform/egress/target-url.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { say } from '../kernel/phrases/phrases.ts'
import type { Instance, InstanceSettings, SettingsPatch } from './instances.schemas.ts'
import type { InstanceRow } from './instances.sql.ts'
import { DEFAULT_SETTINGS, withDefaults, type StoredSettings } from './stored-settings.ts'

/** Converts instances between storage and API; see `createInstanceRenderer`. */
export type InstanceRenderer = ReturnType<typeof createInstanceRenderer>

/**
 * Creates the renderer, which converts rows to API instances and settings to their stored form with a sealed proxy URL.
 */
export function createInstanceRenderer(deps: { seal: Seal; policy: AddressPolicy }) {
  const { seal, policy } = deps
  const context = (id: string) => `${id}/proxy`

  function openProxy(id: string, settings: StoredSettings): string | null {
    const { proxyUrlSealed: sealed } = settings
    return sealed ? seal.open(Buffer.from(sealed, 'base64'), context(id)).toString() : null
  }

  function checkProxy(text: string): string {
    const field = 'settings.proxyUrl'
    const url = parseProxyUrl(text)
    if (!url) throw fail('bad_request', (say) => say.http.malformed(field), { field })
    const literal = literalAddress(url.hostname)
    if (literal && !policy.permits(literal)) {
      throw fail('bad_request', (say) => say.webhooks.url(say.webhooks.urlProblem.private), {
        field,
      })
    }
    return text
  }

  function settingsOf(row: InstanceRow): InstanceSettings {
    const { proxyUrlSealed: _, ...settings } = withDefaults(row.settings)
    const proxyUrl = openProxy(row.id, row.settings)
    return { ...settings, proxyUrl: proxyUrl && maskPassword(proxyUrl) }
  }

  return {
    /** Returns the decrypted proxy URL, or null. */
    openProxy,

    /**
     * Returns the settings to write: those that the patch changes, or all of them for a new instance (`before` null).
     * Throws 400 for an invalid proxy or a maximum delay below the minimum.
     */
    readSettings(
      id: string,
      patch: SettingsPatch,
      before: StoredSettings | null,
    ): Partial<StoredSettings> {
      const { proxyUrl, ...plain } = patch
      const changed: Partial<StoredSettings> = before ? plain : { ...DEFAULT_SETTINGS, ...plain }
      const settings = { ...DEFAULT_SETTINGS, ...before, ...plain }
      if (settings.sendDelayMaxMs < settings.sendDelayMinMs) {
        const least = settings.sendDelayMinMs
        const field = 'settings.sendDelayMaxMs'
        throw fail('bad_request', (say) => say.http.tooSmall(field, least), { field })
      }
      const shown = before && openProxy(id, before)
      // A client that sends the masked URL back does not change the proxy.
      if (proxyUrl === undefined || (shown && proxyUrl === maskPassword(shown))) return changed
      if (proxyUrl === '') return { ...changed, proxyUrlSealed: null }
      const sealed = seal.close(Buffer.from(checkProxy(proxyUrl)), context(id))
      return { ...changed, proxyUrlSealed: sealed.toString('base64') }
    },

    /** Renders an instance for the API; the password of the proxy URL is masked. */
    render(row: InstanceRow): Instance {
      const { disconnect } = row
      return {
        id: row.id,
        name: row.name,
        externalId: row.externalId,
        ...(row.network === 'whatsapp' ? {} : { network: row.network }),
        status: row.status,
        phone: row.phone,
        profileName: row.profileName,
        disconnect: disconnect && {
          reason: disconnect.reason,
          message: say.instances.disconnect[disconnect.reason],
          at: disconnect.at,
          willReconnect: disconnect.willReconnect,
        },
        restriction: row.restriction,
        settings: settingsOf(row),
        queue: { pending: row.pending },
        pairedAt: row.pairedAt?.toISOString() ?? null,
        connectedAt: row.connectedAt?.toISOString() ?? null,
        disconnectedAt: row.disconnectedAt?.toISOString() ?? null,
        createdAt: row.createdAt.toISOString(),
        updatedAt: row.updatedAt.toISOString(),
      }
    },
  }
}

function maskPassword(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '****'
  return url.href
}
