import type { Mode } from './api.ts'
import type { ChangeKind } from '../../../src/kernel/change-kind.ts'

/** Data of a mode that no change of the server names: it is polled, or refetched with the events it follows from. */
type Derived =
  | 'activity'
  | 'api-requests'
  | 'blocked'
  | 'campaign-reports'
  | 'cap'
  | 'chats'
  | 'cloud-account'
  | 'deliveries'
  | 'event-examples'
  | 'health'
  | 'history'
  | 'hits'
  | 'missing'
  | 'pairing'
  | 'past'
  | 'payload'
  | 'profile'
  | 'requests'
  | 'response-times'
  | 'steps'
  | 'templates'
  | 'usage'

/** The data of a mode, as the second part of a query key. */
export type ModeData = ChangeKind | Derived
/** Data shared by both modes, as the first part of a query key. */
type SharedData =
  | ChangeKind
  | 'audit'
  | 'invitation'
  | 'mails'
  | 'operation'
  | 'pair'
  | 'sessions'
  | 'successor'
  | 'views'
  | 'waveform'

/**
 * Every key of a query: a mode and its data, or data that both modes share, and what selects a part of it. Invalidating
 * a key invalidates those that begin with it, so a misspelled name would leave a page with old data.
 */
type PanelQueryKey =
  readonly [Mode, ModeData, ...unknown[]] | readonly [Mode] | readonly [SharedData, ...unknown[]]

declare module '@tanstack/react-query' {
  interface Register {
    queryKey: PanelQueryKey
  }
}
