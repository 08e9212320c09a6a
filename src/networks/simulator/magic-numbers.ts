/** How the simulator treats a number, selected by its last four digits (G54). */
export type Behavior =
  | 'read_at_once'
  | 'never_delivered'
  | 'not_on_network'
  | 'delivered_late'
  | 'echoes'
  | 'drops_connection'
  | 'delivered'

const MAGIC: Record<string, Behavior> = {
  '0001': 'read_at_once',
  '0002': 'never_delivered',
  '0003': 'not_on_network',
  '0004': 'delivered_late',
  '0005': 'echoes',
  '0006': 'drops_connection',
}

/** Delay of the delivery receipt of a `delivered_late` number. */
export const LATE_DELIVERY_MS = 10_000
/** How long a phone shows that someone is typing or recording, as WhatsApp's clients do. */
export const PRESENCE_MS = 25_000
/** How long the sender stays disconnected after a message to a `drops_connection` number. */
export const DISCONNECT_MS = 5000

/** Returns the behavior of a number; `delivered` if its last four digits have no special meaning. */
export function behaviorOf(phone: string): Behavior {
  return MAGIC[phone.slice(-4)] ?? 'delivered'
}
