import { t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'

const NETWORKS = ['whatsapp', 'cloud_api'] as const
/** How an instance reaches WhatsApp. */
export type InstanceNetwork = (typeof NETWORKS)[number]

/** Chooses between a phone and Meta's official API; it cannot be changed later. */
export function NetworkChoice() {
  return (
    <Choice
      label={t.official.network}
      hint={t.official.networkHint}
      name="network"
      defaultValue="whatsapp"
      options={NETWORKS.map((network) => [network, t.officialNetworks[network]])}
    />
  )
}
