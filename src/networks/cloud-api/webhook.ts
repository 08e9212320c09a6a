import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUnknownRecord, listOf, textOf, type Unknown } from './unknown.ts'

/** The path to which Meta posts what happens to an instance's number. */
export const CLOUD_WEBHOOK_PATH = '/cloud/:id'
/** The header with Meta's signature of a webhook. */
export const SIGNATURE_HEADER = 'x-hub-signature-256'

/** Returns whether the app with this secret signed the body of a webhook. */
export function isSigned(appSecret: string, body: Buffer, signature: unknown): boolean {
  if (typeof signature !== 'string') return false
  const expected = Buffer.from(
    `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
  )
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The reports about one number, collected from all notifications of a request. */
export type WebhookValue = { messages: Unknown[]; statuses: Unknown[]; contacts: Unknown[] }

/** How many messages, statuses and contacts a webhook reports, of all numbers. */
export function countReports(payload: unknown): number {
  const changes = listOf(payload, 'entry').flatMap((entry) => listOf(entry, 'changes'))
  return changes.reduce((sum, { value }) => {
    const parts = ['messages', 'statuses', 'contacts'].map((name) => listOf(value, name).length)
    return sum + parts.reduce((one, other) => one + other, 0)
  }, changes.length)
}

/** Extracts the reports about a number; those about other numbers of the app are dropped. */
export function readWebhook(payload: unknown, phoneNumberId: string): WebhookValue {
  const values = listOf(payload, 'entry')
    .flatMap((entry) => listOf(entry, 'changes'))
    .filter((change) => textOf(change['field']) === 'messages')
    .flatMap(({ value }) => (isUnknownRecord(value) ? [value] : []))
    .filter(({ metadata }) => {
      const place = isUnknownRecord(metadata) ? metadata : {}
      return textOf(place['phone_number_id']) === phoneNumberId
    })
  return {
    messages: values.flatMap((value) => listOf(value, 'messages')),
    statuses: values.flatMap((value) => listOf(value, 'statuses')),
    contacts: values.flatMap((value) => listOf(value, 'contacts')),
  }
}
