import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NetworkRejection } from '../../networks/network.port.ts'
import type { VirtualPhones } from '../../networks/virtual-phones.port.ts'
import { Failure } from '../../kernel/phrases/fail.ts'
import { withApiFailures } from './with-api-failures.ts'

describe('withApiFailures', () => {
  for (const [reason, kind] of [
    ['unknown', 'not_found'],
    ['not_admin', 'conflict'],
  ] as const) {
    it(`every virtual phone method throws a ${kind} failure when the network refuses with ${reason}`, async () => {
      const refuse = async () => {
        throw new NetworkRejection(reason)
      }
      const phones = withApiFailures({
        sendMessage: refuse,
        scan: refuse,
      } as unknown as VirtualPhones)
      for (const work of [phones.sendMessage, phones.scan]) {
        await assert.rejects(
          work(null as never, null as never, null as never, null as never),
          (error) => error instanceof Failure && error.kind === kind,
        )
      }
    })
  }
})
