import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delivery, targetOf } from '../../../test/kit/delivery.ts'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createAddressPolicy } from '../../kernel/address-policy.ts'
import { attemptDelivery, type AttemptDeps } from './attempt.ts'

const POLICY = createAddressPolicy({ allow: [], deny: [] })

/** Dependencies whose every request fails with `error`, and the number of requests made. */
function world(error: unknown): AttemptDeps & { requests: () => number } {
  let count = 0
  const fails = async () => {
    count++
    throw error
  }
  return {
    clock: createManualClock(),
    policy: POLICY,
    egress: { exchange: fails, exchangeWithListener: fails },
    inboxes: { listenerFor: async () => null },
    requests: () => count,
  }
}

describe('attemptDelivery', () => {
  for (const url of ['nada', 'ftp://x.com', 'http://', '']) {
    it(`an attempt to «${url}», which is not a valid request URL, is cancelled without a request`, async () => {
      const deps = world(new Error())
      const outcome = await attemptDelivery(deps, delivery, targetOf(url, POLICY))
      assert.equal(outcome.cancelled, true)
      assert.match(outcome.reason ?? '', /^URL inválida: /)
      assert.equal(deps.requests(), 0)
    })
  }

  it('an attempt to a private address sends nothing and may be retried', async () => {
    const deps = world(new Error())
    const outcome = await attemptDelivery(deps, delivery, targetOf('http://10.0.0.1/', POLICY))
    assert.deepEqual(
      [outcome.cancelled, outcome.reason, deps.requests()],
      [false, 'erro de rede: endereço não permitido', 0],
    )
  })

  it('the reason of a failed attempt contains only listed error codes and no detail of the internal network', async () => {
    const reasonFor = async (error: unknown) =>
      (await attemptDelivery(world(error), delivery, targetOf('https://x.com', POLICY))).reason
    const coded = (code: string) => Object.assign(new Error('10.0.0.7:5432'), { code })
    assert.equal(await reasonFor(coded('ECONNREFUSED')), 'erro de rede: ECONNREFUSED')
    assert.equal(await reasonFor(coded('ENOTFOUND')), 'erro de rede: ENOTFOUND')
    assert.equal(await reasonFor(coded('UND_ERR_SOCKET')), 'erro de rede: ECONNRESET')
    assert.equal(await reasonFor(coded('ETIMEDOUT')), 'erro de rede: tempo esgotado')
    assert.equal(await reasonFor(new Error('10.0.0.7')), 'erro de rede: UNKNOWN')
    assert.equal(
      await reasonFor(coded('CERT_HAS_EXPIRED')),
      'erro de rede: CERT_HAS_EXPIRED (o certificado venceu)',
    )
    assert.equal(
      await reasonFor(coded('HPE_INVALID_CONSTANT')),
      'erro de rede: INVALID_HTTP (a resposta não é HTTP válido)',
    )
    assert.equal(
      await reasonFor(coded('ERR_SSL_WRONG_VERSION_NUMBER')),
      'erro de rede: TLS (a conexão segura falhou: confira se o endereço atende por HTTPS)',
    )
    assert.equal(
      await reasonFor(new AggregateError([coded('ECONNREFUSED')])),
      'erro de rede: ECONNREFUSED',
    )
  })

  it('an attempt that fails because this server lacks a resource does not count', async () => {
    const error = Object.assign(new Error(), { code: 'EMFILE' })
    const outcome = await attemptDelivery(world(error), delivery, targetOf('https://x.com', POLICY))
    assert.equal(outcome.localFault, true)
  })
})
