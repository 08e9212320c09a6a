import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createDatabase } from '../../test/kit/test-app.ts'
import { claimInstances, findUnpairable } from './ownership.sql.ts'

const INSTANCES = 4000
const NODES = 4
const BATCH = 50

let server: Awaited<ReturnType<typeof createDatabase>>
before(async () => {
  server = await createDatabase()
})
after(async () => {
  await server.database.close(1)
  await server.drop()
})

describe('claiming instances', () => {
  it('nodes that claim at the same time never claim the same instance', async () => {
    const { database: db } = server
    await db.system`insert into account (id, company, tax_id, created_at) values ('acc', 'x', '1', now())`
    await db.system`insert into project (id, account_id, name, created_at) values ('prj', 'acc', 'x', now())`
    await db.system`
      insert into node (id, epoch, heartbeat_at, capacity, media_store, started_at)
      select 'node' || n, n, now(), 1, '', now() from generate_series(1, ${NODES}) n`
    await db.system`
      insert into instance (id, project_id, mode, name, status, settings, created_at, updated_at)
      select 'ins_' || n, 'prj', 'production', 'x', 'CONNECTED', '{}', now(), now()
      from generate_series(1, ${INSTANCES}) n`
    const claimed: string[] = []
    const claimAll = async (node: number) => {
      const open: string[] = []
      for (;;) {
        const owner = { node: `node${node}`, epoch: node }
        const rows = await claimInstances(db, owner, {
          unclaimable: open,
          most: BATCH,
          now: new Date(),
        })
        if (rows.length === 0) return
        open.push(...rows.map(({ id }) => id))
        claimed.push(...rows.map(({ id }) => id))
      }
    }
    await Promise.all(Array.from({ length: NODES }, (_, index) => claimAll(index + 1)))
    const twice = claimed.filter((id, index) => claimed.indexOf(id) !== index)
    assert.deepEqual(twice, [])
    assert.equal(claimed.length, INSTANCES)
  })

  it('a node claims no instance that it is still closing or must not retry yet, not even one without an owner', async () => {
    const { database: db } = server
    await db.system`
      insert into node (id, epoch, heartbeat_at, capacity, media_store, started_at) values ('late', 99, now(), 1, '', now())`
    await db.system`update instance set owner_node = 'gone', owner_epoch = -1 where id in ('ins_1', 'ins_2')`
    const owner = { node: 'late', epoch: 99 }
    const claim = { unclaimable: ['ins_1'], most: BATCH, now: new Date() }
    const rows = await claimInstances(db, owner, claim)
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['ins_2'],
    )
  })

  it('an instance that another client displaced is claimed only after a request to connect', async () => {
    const { database: db } = server
    await db.system`
      update instance set owner_node = null, owner_epoch = null, status = 'DISCONNECTED',
        disconnect = jsonb_build_object('reason', case id when 'ins_5' then 'network' else 'replaced' end,
          'willReconnect', id = 'ins_4')
      where id in ('ins_3', 'ins_4', 'ins_5')`
    const owner = { node: 'late', epoch: 99 }
    const claim = async () => {
      const rows = await claimInstances(db, owner, {
        unclaimable: ['ins_1', 'ins_2'],
        most: BATCH,
        now: new Date(),
      })
      return rows.map(({ id }) => id).toSorted()
    }
    assert.deepEqual(await claim(), ['ins_4', 'ins_5'])
    await db.system`update instance set status = 'CONNECTING' where id = 'ins_3'`
    assert.ok((await claim()).includes('ins_3'))
  })

  it('an instance is not claimed before the credentials of its ended pairing are deleted, unless it has been paired again since', async () => {
    const { database: db } = server
    await db.system`
      update instance set owner_node = null, owner_epoch = null, status = 'CONNECTING', forget_at = now(),
        paired_at = now() + case id when 'ins_8' then interval '1 second' else interval '-1 second' end
      where id in ('ins_7', 'ins_8')`
    const owner = { node: 'late', epoch: 99 }
    const claim = { unclaimable: ['ins_1', 'ins_2'], most: BATCH, now: new Date() }
    const claimed = (await claimInstances(db, owner, claim)).map(({ id }) => id)
    assert.deepEqual(
      ['ins_7', 'ins_8'].filter((id) => claimed.includes(id)),
      ['ins_8'],
    )
    const forgotten = await findUnpairable(db, owner, [], BATCH)
    assert.deepEqual(
      forgotten.map(({ id }) => id),
      ['ins_7'],
    )
  })
})
