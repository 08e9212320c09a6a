import { fail } from '../../kernel/phrases/fail.ts'
import type { Payments } from './payments.port.ts'

/** Payments that the operator collects outside Recado and books with commands. Nothing can be bought in the panel. */
export function createManualPayments(): Payments {
  const notSupported = () => fail('conflict', (say) => say.payments.manual)
  return {
    name: 'manual',
    offers: async () => [],
    createCustomer: async () => Promise.reject(notSupported()),
    checkout: async () => Promise.reject(notSupported()),
    manage: async () => Promise.reject(notSupported()),
    invoices: async () => [],
    standing: async () => ({ subscription: null, massSending: null }),
    purchases: async () => [],
    end: async () => {},
    parseWebhook: () => {
      throw fail('not_found', (say) => say.http.routeNotFound)
    },
  }
}
