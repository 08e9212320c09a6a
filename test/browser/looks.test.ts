// Every component in both themes, compared with stored screenshots: `UPDATE_LOOKS=1` renders them again.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, openPage } from '../kit/browser.ts'
import { assertLook, canCompare } from '../kit/compare-looks.ts'
import { describePanel, type Stage } from '../kit/panel.ts'

const WIDTH = 800
const DIALOGS = ['dialog', 'confirm', 'secret']

async function components(stage: Stage): Promise<void> {
  const compares = canCompare(stage.browser)
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
    if (compares) await assertLook(page, `components-${colorScheme}`)
    for (const dialog of DIALOGS) {
      await page.locator(`[data-opens=${dialog}]`).click()
      const shown = page.getByRole('dialog')
      await shown.waitFor()
      await assertAccessible(page, `${dialog} ${colorScheme}`)
      if (compares) await assertLook(shown, `${dialog}-${colorScheme}`)
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
  it('components match their reference screenshots in both themes', () => components(stage()))
})
