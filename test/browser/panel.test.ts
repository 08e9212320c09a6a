import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findChromium, NO_CHROMIUM, takeComplaints } from '../kit/browser.ts'
import { openStage, type Stage } from '../kit/panel.ts'

type Test = (stage: Stage) => Promise<void>
/** What is proved, by whom: one server and one browser for all. */
const SUITES: Record<string, () => Promise<Record<string, Test>>> = {
  'the first run': async () => (await import('./first-run.suite.ts')).tests,
  access: async () => (await import('./access.suite.ts')).tests,
  looks: async () => (await import('./looks.suite.ts')).tests,
  'everyday work': async () => (await import('./work.suite.ts')).tests,
  'the virtual telephone': async () => (await import('./phone.suite.ts')).tests,
  'what is exact': async () => (await import('./details.suite.ts')).tests,
  'what is live': async () => (await import('./live.suite.ts')).tests,
  'what goes wrong': async () => (await import('./faults.suite.ts')).tests,
  'one person': async () => (await import('./person.suite.ts')).tests,
  'doors and secrets': async () => (await import('./doors.suite.ts')).tests,
}

const chromium = findChromium()
if (chromium) {
  const suites = await Promise.all(
    Object.entries(SUITES).map(async ([name, load]) => [name, await load()] as const),
  )
  describe('the panel', () => {
    let stage: Stage
    before(async () => {
      stage = await openStage(chromium)
    })
    after(() => stage.close())
    for (const [name, tests] of suites) {
      describe(name, () => {
        for (const [guarantee, test] of Object.entries(tests)) {
          it(guarantee, { timeout: 300_000 }, async () => {
            await test(stage)
            assert.deepEqual(takeComplaints(), [])
          })
        }
      })
    }
  })
} else {
  it('the panel in a browser', { skip: NO_CHROMIUM }, () => {})
}
