import { NetworkRejection } from '../../networks/network.port.ts'
import type { VirtualPhones } from '../../networks/virtual-phones.port.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { fail } from '../../kernel/phrases/fail.ts'

/**
 * Wraps the virtual phones so that refusals of the simulated network are thrown as API failures: `not_found` if the
 * refusal's reason is `unknown`, otherwise `conflict`.
 */
export function withApiFailures(phones: VirtualPhones): VirtualPhones {
  return new Proxy(phones, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        try {
          return (await Reflect.apply(value, target, args)) as unknown
        } catch (error) {
          if (!(error instanceof NetworkRejection)) throw error
          const { reason } = error
          throw fail(reason === 'unknown' ? 'not_found' : 'conflict', (say) => say.network[reason])
        }
      }
    },
  })
}

/** Parses phone numbers; throws 400 for an invalid one. */
export function parsePhones(inputs: string[]): string[] {
  return inputs.map((input) => {
    const phone = parsePhone(input)
    if (!phone)
      throw fail('bad_request', (say) => say.groups.participantInvalid(input.slice(0, 40)), {
        field: 'participants',
      })
    return phone
  })
}
