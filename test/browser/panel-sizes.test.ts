import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildPanel } from '../../src/app/build-panel.ts'
import { panelSizes } from '../../scripts/panel-sizes.ts'

describe('the built panel', () => {
  it('loads no more for each page than it may', async () => {
    await buildPanel()
    const sizes = panelSizes()
    assert.ok(sizes.length > 20)
    for (const { what, gzip, budget } of sizes) {
      assert.ok(gzip > 0 && gzip <= budget, `${what}: ${gzip.toFixed(1)} of ${budget} KB`)
    }
  })
})
