import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp } from '../kit/test-app.ts'

it('a node whose file store other nodes cannot read fails to start and leaves no row', async () => {
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
