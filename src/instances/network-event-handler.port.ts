import type {
  HistoricMessage,
  InboundMessage,
  Receipt,
  ReportedNetworkEvent,
} from '../networks/network-events.port.ts'
import type { OpenInstance } from './open-sessions.service.ts'

/** Receives what networks report, except pairing codes and statuses. Implemented by `messaging/inbound`. */
export type NetworkEventHandler = {
  onMessages(instance: OpenInstance, messages: InboundMessage[]): Promise<void>
  onReceipts(instance: OpenInstance, receipts: Receipt[]): Promise<void>
  onEvents(instance: OpenInstance, reported: ReportedNetworkEvent[]): Promise<void>
  onHistory(instance: OpenInstance, messages: HistoricMessage[]): Promise<void>
}
