/** What a number does by its last four digits. Source: contract §3. */
export type Behaviour =
  | 'read_at_once'
  | 'never_delivered'
  | 'not_on_network'
  | 'delivered_late'
  | 'echoes'
  | 'drops_connection'
  | 'delivered'

const MAGIC: Record<string, Behaviour> = {
  '0001': 'read_at_once',
  '0002': 'never_delivered',
  '0003': 'not_on_network',
  '0004': 'delivered_late',
  '0005': 'echoes',
  '0006': 'drops_connection',
}

export const LATE_MS = 10_000
export const DROPPED_MS = 5000

export function behaviourOf(phone: string): Behaviour {
  return MAGIC[phone.slice(-4)] ?? 'delivered'
}
