import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { createSeal } from '../../kernel/seal.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import type { Database } from './database.ts'
import { opensStoredValues, openSeal, parseKeys, rekey, resealProject } from './master-key.ts'

const OLD = 'o'.repeat(32)
const NEW = 'n'.repeat(32)
const dataDir = mkdtempSync('/tmp/recado-key-')
let made: Awaited<ReturnType<typeof createDatabase>>
let db: Database
before(async () => {
  made = await createDatabase()
  db = made.database
})
after(async () => {
  await db.close(1)
  await made.drop()
  rmSync(dataDir, { recursive: true })
})
const given = (masterKey: string | null) => ({ masterKey, dataDir })
const says = (text: RegExp) => (error: unknown) =>
  error instanceof StartFault && text.test(error.message)

/** Inserts a row of every kind that contains a sealed value. */
async function fill(seal: ReturnType<typeof createSeal>): Promise<void> {
  const { sql, system } = db
  const close = (text: string, context: string) => seal.close(Buffer.from(text), context)
  await system`insert into account (id, company, tax_id, created_at) values ('acc_1', 'P', '1', now())`
  await system`insert into project (id, account_id, name, created_at) values ('prj_1', 'acc_1', 'P', now())`
  await system`insert into app_user (id, account_id, email, password_hash, role, created_at, totp_sealed)
    values ('usr_1', 'acc_1', 'a@b.co', 'x', 'Dono', now(), ${close('totp', 'usr_1/totp')})`
  const proxyUrlSealed = close('proxy', 'ins_1/proxy').toString('base64')
  await system`insert into instance (id, project_id, mode, name, status, settings, created_at, updated_at)
    values ('ins_1', 'prj_1', 'test', 'I', 'CREATED', ${sql.json({ proxyUrlSealed })}, now(), now())`
  await system`insert into webhook (id, project_id, mode, name, url, secret_sealed, created_at)
    values ('whk_1', 'prj_1', 'test', 'w', 'https://x.co', ${close('secret', 'whk_1')}, now())`
  await system`insert into instance_credential (instance_id, kind, id, sealed)
    select 'ins_1', 'key', n::text, ${close('key', 'ins_1/key/0')} from generate_series(0, 0) n`
  for (let index = 1; index < 1200; index++) {
    await system`insert into instance_credential (instance_id, kind, id, sealed)
      values ('ins_1', 'key', ${String(index)}, ${close('key', `ins_1/key/${index}`)})`
  }
}

describe('the master key', () => {
  it('a removed webhook, which has no secret, keeps neither the server from starting nor values from being resealed', async () => {
    const own = await createDatabase()
    const { system } = own.database
    await system`insert into account (id, company, tax_id, created_at) values ('acc_1', 'P', '1', now())`
    await system`insert into project (id, account_id, name, created_at) values ('prj_1', 'acc_1', 'P', now())`
    await openSeal(own.database, given(OLD))
    await system`insert into webhook (id, project_id, mode, name, url, secret_sealed, created_at, deleted_at)
      values ('whk_0', 'prj_1', 'test', 'w', 'https://x.co', '', now(), now())`
    assert.equal(await opensStoredValues(own.database, given(OLD)), true)
    const seal = await openSeal(own.database, given(`${NEW},${OLD}`))
    assert.equal(await rekey(own.database, seal), 1, 'the probe of the old key')
    assert.equal(await resealProject(own.database, seal, 'prj_1', []), 0)
    await own.database.close(1)
    await own.drop()
  })

  it('the master key is generated for a new installation, but never for a database with sealed values', async () => {
    await openSeal(db, given(null))
    assert.ok(existsSync(join(dataDir, 'master.key')))
    rmSync(join(dataDir, 'master.key'))
    await assert.rejects(openSeal(db, given(null)), says(/^MASTER_KEY: este banco .* já guarda/))
    assert.equal(existsSync(join(dataDir, 'master.key')), false)
    assert.equal(await opensStoredValues(db, given(null)), false)
    await db.system`delete from seal_probe`
  })

  it('the master key of another installation is rejected, even before a probe was stored', async () => {
    await fill(createSeal(OLD))
    await assert.rejects(openSeal(db, given(NEW)), says(/^MASTER_KEY: a chave não abre/))
    await assert.rejects(openSeal(db, given(null)), says(/já guarda/))
    await openSeal(db, given(OLD))
    await assert.rejects(openSeal(db, given(NEW)), says(/^MASTER_KEY: a chave não abre/))
    assert.equal(await opensStoredValues(db, given(NEW)), false)
    assert.equal(await opensStoredValues(db, given(OLD)), true)
  })

  it('the first of several master keys seals, any of them opens, and after a rekey the first one alone is sufficient', async () => {
    const both = `${NEW}, ${OLD}`
    const seal = await openSeal(db, given(both))
    assert.equal(await rekey(db, seal), 1200 + 4)
    assert.equal(await rekey(db, seal), 0)
    await assert.rejects(openSeal(db, given(OLD)), says(/a chave não abre/))
    const alone = await openSeal(db, given(NEW))
    const { system } = db
    const [webhook] = await system`select secret_sealed as sealed from webhook`
    assert.equal(alone.open(webhook?.['sealed'], 'whk_1').toString(), 'secret')
    const [proxy] = await system`select settings ->> 'proxyUrlSealed' as sealed from instance`
    const opened = alone.open(Buffer.from(proxy?.['sealed'], 'base64'), 'ins_1/proxy')
    assert.equal(opened.toString(), 'proxy')
    const [last] = await system`select sealed from instance_credential where id = '1199'`
    assert.equal(alone.open(last?.['sealed'], 'ins_1/key/1199').toString(), 'key')
    const [person] = await system`select totp_sealed as sealed from app_user`
    assert.equal(alone.open(person?.['sealed'], 'usr_1/totp').toString(), 'totp')
  })

  it('of two nodes that start first with different keys, one starts and the other is refused', async () => {
    const empty = await createDatabase()
    const nodes = await Promise.allSettled(
      [OLD, NEW].map((key) => openSeal(empty.database, given(key))),
    )
    assert.deepEqual(nodes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    const [winner = ''] = [OLD, NEW].filter((_, index) => nodes[index]?.status === 'fulfilled')
    await openSeal(empty.database, given(winner))
    await empty.database.close(1)
    await empty.drop()
  })

  it('a key with which values were sealed must stay in the list until they are resealed', async () => {
    const later = 'l'.repeat(32)
    const seal = await openSeal(db, given(`${later},${NEW}`))
    await db.system`update webhook set secret_sealed = ${seal.close(Buffer.from('secret'), 'whk_1')}`
    await assert.rejects(openSeal(db, given(NEW)), says(/a chave não abre/))
    assert.equal(await opensStoredValues(db, given(NEW)), false)
    // The order of the keys does not matter to what they open.
    const back = await openSeal(db, given(`${NEW},${later}`))
    assert.equal(await rekey(db, back), 2)
    await openSeal(db, given(NEW))
  })

  it('rekey waits for a value that another transaction has locked instead of skipping it', async () => {
    const third = 't'.repeat(32)
    const seal = await openSeal(db, given(`${third},${NEW}`))
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: locked, resolve: hold } = Promise.withResolvers<void>()
    const holder = db.transaction(async (tx) => {
      await tx.system`select from webhook where id = 'whk_1' for update`
      hold()
      await held
    })
    await locked
    let ended = false
    const resealing = rekey(db, seal).finally(() => {
      ended = true
    })
    for (;;) {
      const waiting = await db.system`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      if (waiting.length > 0 || ended) break
    }
    release()
    await holder
    assert.equal(await resealing, 1200 + 4)
    const [webhook] = await db.system`select secret_sealed as sealed from webhook`
    assert.equal(createSeal(third).open(webhook?.['sealed'], 'whk_1').toString(), 'secret')
  })

  it('a seal opens values of the first format, which carry no key id', () => {
    const seal = createSeal([NEW, OLD])
    const sealed = createSeal(OLD).close(Buffer.from('secret'), 'a')
    const first = sealed.subarray(8)
    assert.equal(seal.open(first, 'a').toString(), 'secret')
    assert.throws(() => createSeal(NEW).open(first, 'a'))
    assert.throws(() => createSeal(NEW).open(sealed, 'a'), /not configured/)
  })

  it('parseKeys ignores spaces and empty entries', () => {
    assert.deepEqual(parseKeys(`${NEW} , ${OLD},`), [NEW, OLD])
  })
})
