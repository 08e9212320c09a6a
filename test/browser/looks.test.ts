// Every component in both themes, compared with stored screenshots: `UPDATE_LOOKS=1` renders them again.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { assertAccessible, findChromium, openPage } from '../kit/browser.ts'
import { describePanel, type Stage } from '../kit/panel.ts'

/** Pixels of a picture that may differ: far fewer than a thousandth of it, which could hide a whole badge. */
const MOST_DIFFERENT = 200
const WIDTH = 800
const WHOLE = { fullPage: true }
const DIALOGS = ['dialog', 'confirm', 'secret']
const at = (name: string) => fileURLToPath(new URL(`looks/${name}`, import.meta.url))
const DRAWN_BY = at('drawn-by.txt')

/** Draws what is there, or compares it with its picture. */
async function look(what: Page | Locator, name: string, draw: boolean): Promise<void> {
  const file = at(`${name}.png`)
  const bytes = await what.screenshot({ animations: 'disabled', caret: 'hide', ...WHOLE })
  if (draw) writeFileSync(file, bytes)
  const before = readFileSync(file)
  // A picture of a page takes half a second to be read.
  if (bytes.equals(before)) return
  const [now, kept] = [PNG.sync.read(bytes), PNG.sync.read(before)]
  const size = (image: typeof now) => `${image.width} × ${image.height}`
  assert.equal(size(now), size(kept), `${name} has another size`)
  const { width, height } = now
  const different = pixelmatch(now.data, kept.data, undefined, width, height, { threshold: 0.1 })
  if (different > MOST_DIFFERENT) writeFileSync(at(`${name}.now.png`), bytes)
  assert.ok(
    different <= MOST_DIFFERENT,
    `${name} differs in ${different} pixels: see ${name}.now.png`,
  )
}

async function components(stage: Stage): Promise<void> {
  const [major] = stage.browser.version().split('.')
  const browser = `${basename(findChromium() ?? '')} ${major}`
  const draw = process.env['UPDATE_LOOKS'] === '1'
  if (draw) writeFileSync(DRAWN_BY, `${browser}\n`)
  const drawnBy = readFileSync(DRAWN_BY, 'utf8').trim()
  // Another browser renders fonts differently, so its screenshots cannot be compared.
  const compares = drawnBy === browser
  if (!compares)
    process.stdout.write(`looks not compared: drawn by ${drawnBy}, this is ${browser}\n`)
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context, complaints } = await openPage(stage.browser, stage.origin, {
      colorScheme,
      viewport: {
        width: WIDTH,
        height: 600,
      },
    })
    await page.goto('/dev/componentes')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate('document.fonts.ready')
    await assertAccessible(page, `components ${colorScheme}`)
    if (compares) await look(page, `components-${colorScheme}`, draw)
    for (const dialog of DIALOGS) {
      await page.locator(`[data-opens=${dialog}]`).click()
      const shown = page.getByRole('dialog')
      await shown.waitFor()
      await assertAccessible(page, `${dialog} ${colorScheme}`)
      if (compares) await look(shown, `${dialog}-${colorScheme}`, draw)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Cancelar|Já salvei/ })
        .click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    assert.deepEqual(complaints, [])
    await context.close()
  }
}

describePanel('components of the panel', (stage) => {
  it('look as they did before, in both themes', () => components(stage()))
})
