import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { createDatabase } from '../../test/kit/test-app.ts'
import { parseConfig } from '../kernel/config/config.ts'
import { openFileCopier } from './copy-files.service.ts'
import { createSystemClock } from '../kernel/clock.ts'
import { createMediaStore } from './create-store.ts'

const PROJECT = 'prj_1'

it('a file that becomes available after a first copy follows with the next one, and one store is recognized as shared', async (t) => {
  const { database, drop } = await createDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'recado-copy-'))
  t.after(async () => {
    await database.close(1)
    await drop()
    rmSync(dir, { recursive: true })
  })
  const configOf = (name: string) => parseConfig({ DATA_DIR: join(dir, name) })
  const [from, to] = [configOf('from'), configOf('to')]
  const clock = createSystemClock()
  const [source, target] = [await createMediaStore(from, clock), await createMediaStore(to, clock)]
  const add = async (id: string, status: string) => {
    await database.system`
      insert into media (id, project_id, mode, status, mime_type, size_bytes, created_at, expires_at)
      values (${id}, ${PROJECT}, 'test', ${status}, 'text/plain', 4, now(), now() + interval '1 day')`
  }
  const store = async (id: string) => {
    const path = join(dir, 'incoming')
    writeFileSync(path, 'olá')
    await source.put(`${PROJECT}/test/${id}`, path, { sizeBytes: 4, mimeType: 'text/plain' })
  }
  await using copier = await openFileCopier(database, from, to)
  assert.equal(copier.shared, false)
  // The earlier id is fetched later.
  await add('med_1', 'pending')
  await add('med_2', 'available')
  await store('med_2')
  assert.equal(await copier.copy(PROJECT), 1)
  await store('med_1')
  await database.system`update media set status = 'available' where id = 'med_1'`
  assert.equal(await copier.copy(PROJECT), 1)
  for (const id of ['med_1', 'med_2'])
    assert.equal(await text(await target.open(`${PROJECT}/test/${id}`)), 'olá')
  assert.equal(await copier.copy(PROJECT), 0)
  await using same = await openFileCopier(database, from, from)
  assert.equal(same.shared, true)
})
