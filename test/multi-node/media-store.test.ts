import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp } from '../kit/test-app.ts'

it('a node that keeps files where the others cannot find them is refused, and leaves no trace', async () => {
  const kit = await startTestApp()
  await assert.rejects(
    kit.node({ ownMedia: true }),
    /MEDIA_STORE: outro nó guarda arquivos em outro lugar/,
  )
  const nodes = await kit.db.system`select id from node`
  assert.equal(nodes.length, 1)
  await kit.node()
  await kit.close()
})
