import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { listTables } from '../../platform/db/backup.sql.ts'
import { MOVED, REPLACED, STAYS, VOLATILE } from './moved-tables.ts'

it('every table either moves with a Project or has a reason to stay, and the lists name no unknown table', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(1)
    await drop()
  })
  const tables = await database.session(listTables)
  const names = tables.map(({ name }) => name).toSorted()
  assert.deepEqual([...Object.keys(MOVED), ...Object.keys(STAYS)].toSorted(), names)
  const columns = new Map(tables.map((table) => [table.name, table.columns]))
  const named = [
    ...Object.entries(REPLACED).map(([table, values]) => ({ table, list: Object.keys(values) })),
    ...Object.entries(VOLATILE).map(([table, list]) => ({ table, list })),
  ]
  const unknown = named.flatMap(({ table, list }) =>
    list.filter((column) => column !== '*' && !columns.get(table)?.includes(column)),
  )
  assert.deepEqual(unknown, [])
})
