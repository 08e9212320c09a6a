import { NetworkRefusal } from '../networks/network.port.ts'
import { parsePhone } from '../lib/recipient.ts'
import { fail } from '../phrases/fail.ts'

/** What the network refuses a person is a conflict, or something that is not there. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NetworkRefusal)) throw error
    const { reason } = error
    throw fail(reason === 'unknown' ? 'not_found' : 'conflict', (say) => say.network[reason])
  }
}

/** Throws 400 for what is no telephone number. */
export function readPhones(inputs: string[]): string[] {
  return inputs.map((input) => {
    const phone = parsePhone(input)
    if (!phone)
      throw fail('bad_request', (say) => say.groups.participantInvalid(input.slice(0, 40)))
    return phone
  })
}
