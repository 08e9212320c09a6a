// `npm run picture-panel`: takes the pictures of docs/panel from a server with realistic content.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { findChromium, NO_CHROMIUM } from '../test/kit/browser.ts'
import { globalSetup, globalTeardown } from '../test/kit/global-setup.ts'
import { openStage } from '../test/kit/panel.ts'
import { fillRealistically, pagesOf } from '../test/kit/realistic.ts'

const FOLDER = fileURLToPath(new URL('../docs/panel/', import.meta.url))
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
/** Pages that are also shown as on a phone. */
const ON_PHONES = new Set(['home', 'conversation'])
/** Pages that are also shown in the dark. */
const IN_THE_DARK = new Set(['conversation', 'webhook'])

const chromium = findChromium()
if (!chromium) throw new Error(NO_CHROMIUM)
mkdirSync(FOLDER, { recursive: true })
await globalSetup()
try {
  const stage = await openStage(chromium)
  try {
    const { page } = await stage.enter({ viewport: DESKTOP })
    const made = await fillRealistically(page, stage)
    const shoot = async (name: string) => {
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await page.locator('.bell').waitFor({ state: 'attached' })
      await page.evaluate('document.fonts.ready')
      // A waveform is flat until its file is there.
      if (name.startsWith('conversation') && name !== 'conversations')
        await page.locator('.waveform rect:not([height="3"])').first().waitFor()
      const image = await page.screenshot({ animations: 'disabled' })
      // A palette of 128 colors looks the same and takes a third of the space.
      const small = await sharp(image).png({ palette: true, colors: 128 }).toBuffer()
      writeFileSync(`${FOLDER}${name}.png`, small)
      process.stdout.write(`${name}\n`)
    }
    for (const [name, path] of Object.entries(pagesOf(made))) {
      await page.goto(`/teste/${path}`)
      if (name === 'webhook') await page.locator('tbody tr').nth(2).click()
      await shoot(name)
      if (IN_THE_DARK.has(name)) {
        await page.emulateMedia({ colorScheme: 'dark' })
        await shoot(`${name}-dark`)
        await page.emulateMedia({ colorScheme: 'light' })
      }
      if (ON_PHONES.has(name)) {
        await page.setViewportSize(PHONE)
        await shoot(`${name}-phone`)
        await page.setViewportSize(DESKTOP)
      }
    }
  } finally {
    await stage.close()
  }
} finally {
  await globalTeardown()
}
