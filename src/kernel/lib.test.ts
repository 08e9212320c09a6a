import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { createAddressPolicy, parseCidr } from './address-policy.ts'
import { retryDelayMs } from './backoff.ts'
import { parseCnpj } from './cnpj.ts'
import { isTimeZone, startOfNextDay, saoPauloDay, startOfDay } from './day.ts'
import { SAO_PAULO } from './sao-paulo.ts'
import { createSemaphore } from './semaphore.ts'
import { newId, randomAlphanumeric } from './ids.ts'
import { createSeal } from './seal.ts'
import { truncate, toStorable } from './text.ts'

describe('newId', () => {
  it('newId creates TypeIDs that sort in creation order, even within one millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('msg', 1_700_000_000_000))
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids.slice(0, 10)) assert.match(id, /^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  })
  it('newId encodes a UUIDv7 with the given time', () => {
    const at = Date.parse('2030-01-01T00:00:00Z')
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    const digits = Array.from(newId('evt', at).slice(4), (digit) => alphabet.indexOf(digit))
    const value = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n)
    assert.equal(Number(value >> 80n), at)
    assert.equal(Number((value >> 76n) & 15n), 7)
    assert.equal(Number((value >> 62n) & 3n), 2)
  })
  it('randomAlphanumeric returns only letters and digits', () => {
    assert.match(randomAlphanumeric(500), /^[A-Za-z0-9]{500}$/)
  })
})

describe('parseCnpj', () => {
  it('parseCnpj accepts the numeric form and the alphanumeric form of July 2026', () => {
    assert.equal(parseCnpj('11.222.333/0001-81'), '11222333000181')
    assert.equal(parseCnpj('12.ABC.345/01DE-35'), '12ABC34501DE35')
    assert.equal(parseCnpj('12abc34501de35'), '12ABC34501DE35')
  })
  it('parseCnpj rejects wrong check digits, wrong lengths and repeated digits', () => {
    for (const bad of [
      '11222333000182',
      '1122233300018',
      '00000000000000',
      '12ABC34501DE36',
      '',
      'x',
    ]) {
      assert.equal(parseCnpj(bad), null)
    }
  })
})

describe('retryDelayMs', () => {
  it('retryDelayMs returns attempt⁴ seconds ±10 %', () => {
    for (const [attempt, seconds] of [
      [1, 1],
      [2, 16],
      [3, 81],
      [4, 256],
      [5, 625],
    ] as const) {
      assert.equal(retryDelayMs(attempt, 0.5), seconds * 1000)
      assert.equal(retryDelayMs(attempt, 0), Math.round(seconds * 900))
      assert.ok(retryDelayMs(attempt, 0.999_999) <= seconds * 1100)
    }
  })
})

describe('saoPauloDay', () => {
  it('saoPauloDay changes at midnight in São Paulo', () => {
    assert.equal(saoPauloDay(Date.parse('2026-11-21T02:59:59.999Z')), '2026-11-20')
    assert.equal(saoPauloDay(Date.parse('2026-11-21T03:00:00.000Z')), '2026-11-21')
  })

  it('saoPauloDay changes exactly at the time that startOfNextDay returns', () => {
    const time = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2040-01-01') })
    fc.assert(
      fc.property(time, (now) => {
        const ends = startOfNextDay(SAO_PAULO, now)
        assert.ok(ends > now)
        assert.equal(saoPauloDay(ends - 1), saoPauloDay(now))
        assert.notEqual(saoPauloDay(ends), saoPauloDay(now))
      }),
      { numRuns: 2000 },
    )
  })

  it('startOfDay, startOfNextDay and isTimeZone follow the rules of the time zone', () => {
    const at = Date.parse('2026-11-22T02:30:00Z')
    assert.equal(
      new Date(startOfDay('America/Sao_Paulo', at)).toISOString(),
      '2026-11-21T03:00:00.000Z',
    )
    assert.equal(
      new Date(startOfNextDay('America/Sao_Paulo', at)).toISOString(),
      '2026-11-22T03:00:00.000Z',
    )
    assert.deepEqual(['America/Manaus', 'Lua/Cratera', '+03:00', ''].map(isTimeZone), [
      true,
      false,
      false,
      false,
    ])
  })
})

describe('createSeal', () => {
  it('a seal opens a sealed value only with the same key and the same context', () => {
    const seal = createSeal('k'.repeat(32))
    const sealed = seal.close(Buffer.from('segredo'), 'a')
    assert.equal(seal.open(sealed, 'a').toString(), 'segredo')
    assert.throws(() => seal.open(sealed, 'b'))
    assert.throws(() => createSeal('j'.repeat(32)).open(sealed, 'a'))
    assert.notDeepEqual(sealed, seal.close(Buffer.from('segredo'), 'a'))
  })
})

describe('createSemaphore', () => {
  it('the semaphore limits concurrency, starts work in order, and frees the slot of work that fails', async () => {
    const gate = createSemaphore(2)
    const order: number[] = []
    let running = 0
    const work = (n: number) => async () => {
      order.push(n)
      assert.ok(++running <= 2)
      await Promise.resolve()
      running--
      if (n === 2) throw new Error('2')
    }
    await Promise.allSettled([1, 2, 3, 4, 5].map((n) => gate(work(n))))
    assert.deepEqual(order, [1, 2, 3, 4, 5])
    await gate(work(6))
    assert.equal(running, 0)
  })
})

describe('text from untrusted sources', () => {
  it('truncate never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 20 }), (text, most) => {
        const cut = truncate(text, most)
        assert.ok(cut.isWellFormed() && cut.length <= most && text.startsWith(cut))
        assert.ok(cut.length >= Math.min(most, text.length) - 1)
      }),
    )
  })
  it('toStorable removes characters that PostgreSQL cannot store, at any depth, and changes nothing else', () => {
    const bytes = Buffer.from([0])
    const untidy = { name: 'A\0n\ud83da', list: [{ '\0k': '😀' }], bytes, at: 5, none: null }
    const kept = { name: 'An\ufffda', list: [{ k: '😀' }], bytes, at: 5, none: null }
    assert.deepEqual(toStorable(untidy), kept)
  })
})

describe('createAddressPolicy', () => {
  const none = createAddressPolicy({ allow: [], deny: [] })

  it('the address policy denies private, local and special addresses in every notation', () => {
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '0.0.0.0',
      '100.64.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.1',
      '224.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
      '::',
      '::1',
      'fe80::1',
      'fc00::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001::1',
      '1::1',
      '4000::1',
      '2001:db8::1',
      '3fff::1',
      '::5efe:7f00:1',
      'fe80::1%eth0',
      '',
      'localhost',
    ]) {
      assert.equal(none.permits(address), false, address)
    }
  })

  it('the address policy permits public addresses', () => {
    for (const address of ['1.1.1.1', '200.160.2.3', '2606:4700::1111', '::ffff:1.1.1.1']) {
      assert.equal(none.permits(address), true, address)
    }
  })

  it('the address policy denies every address that ipaddr.js does not classify as unicast', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const v4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'))
    const v6 = fc.ipV6()
    fc.assert(
      fc.property(fc.oneof(v4, v6), (address) => {
        if (!ipaddr.isValid(address)) return
        if (ipaddr.process(address).range() !== 'unicast')
          assert.equal(none.permits(address), false)
      }),
      { numRuns: 5000 },
    )
  })

  it('the address policy lets the operator allow private addresses and deny public ones', () => {
    const read = (text: string) => [parseCidr(text)].filter((cidr) => cidr !== null)
    const own = createAddressPolicy({ allow: read('10.1.0.0/16'), deny: read('1.1.1.0/24') })
    assert.equal(own.permits('10.1.2.3'), true)
    assert.equal(own.permits('::ffff:10.1.2.3'), true)
    assert.equal(own.permits('10.2.0.1'), false)
    assert.equal(own.permits('1.1.1.1'), false)
  })
})
