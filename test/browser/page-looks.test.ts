// Every page with realistic content, compared with stored pictures: `UPDATE_LOOKS=1` draws those that differ again,
// `UPDATE_LOOKS=record` also records again what the pages ask, which changes all of them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../kit/browser.ts'
import { canCompare, findDifference, isRecording, lookAt } from '../kit/compare-looks.ts'
import { describePanel, type Stage } from '../kit/panel.ts'
import { fillRealistically, pagesOf } from '../kit/realistic.ts'
import {
  readRecording,
  RECORDED_ORIGIN,
  serveRecorded,
  writeRecording,
  type Recording,
} from '../kit/recorded-panel.ts'

const RECORDING = lookAt('pages.json.gz')
/** Half the size is enough to see what moved, and a quarter of the bytes. */
const SCALE = 0.5
const LOOKS = [
  { language: 'pt-BR', colorScheme: 'light', widths: [390, 1280, 1440] },
  { language: 'pt-BR', colorScheme: 'dark', widths: [390, 1280] },
  { language: 'en', colorScheme: 'light', widths: [1280] },
  { language: 'pseudo', colorScheme: 'light', widths: [1280] },
] as const

/** Fills a server with realistic content, as the source of what the pages ask. */
async function startRecording(stage: Stage): Promise<{ recording: Recording; source: Page }> {
  const { page: source } = await stage.enter()
  const paths = pagesOf(await fillRealistically(source, stage))
  return { recording: { at: new Date().toISOString(), paths, answers: {} }, source }
}

async function pages(
  stage: Stage,
  look: (typeof LOOKS)[number],
  source: Page | null,
  recording: Recording,
) {
  const { language, colorScheme, widths } = look
  const { page, context, complaints } = await openPage(stage.browser, RECORDED_ORIGIN, {
    colorScheme,
    deviceScaleFactor: SCALE,
  })
  await page.addInitScript(`localStorage.setItem('recado.language', ${JSON.stringify(language)})`)
  const { missing, settle } = await serveRecorded(page, stage.origin, recording, source)
  const differences: string[] = []
  for (const [name, path] of Object.entries(recording.paths)) {
    await page.setViewportSize({ width: widths[0], height: 800 })
    await page.goto(`${RECORDED_ORIGIN}/teste/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    await page.locator('.bell').waitFor({ state: 'attached' })
    await page.evaluate('document.fonts.ready')
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      await settle()
      const file = `pages/${name}-${language}-${colorScheme}-${width}`
      const difference = await findDifference(page, file)
      if (difference) differences.push(difference)
    }
  }
  await context.close()
  assert.deepEqual(missing, [], 'the pages ask what was not recorded: run with UPDATE_LOOKS=record')
  assert.deepEqual(differences, [])
  assert.deepEqual(complaints, [])
}

describePanel('every page', (stage) => {
  let started: ReturnType<typeof startRecording> | null = null
  for (const look of LOOKS) {
    const { language, colorScheme, widths } = look
    it(`every page matches its reference screenshot in ${language}, ${colorScheme}, at ${widths.join(', ')} px`, async () => {
      if (!canCompare(stage().browser)) return
      if (isRecording()) started ??= startRecording(stage())
      const { recording, source } = (await started) ?? {
        recording: readRecording(RECORDING),
        source: null,
      }
      assert.ok(recording, 'nothing is recorded: run with UPDATE_LOOKS=record')
      await pages(stage(), look, source, recording)
      if (isRecording()) writeRecording(RECORDING, recording)
    })
  }
})
