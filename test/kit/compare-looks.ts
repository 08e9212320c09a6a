import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { findChromium } from './browser.ts'

/** Pixels of a picture that may differ: far fewer than a thousandth of it, which could hide a whole badge. */
const MOST_DIFFERENT = 200
/** The path of a stored picture, or of what belongs to them. */
export const lookAt = (name: string): string =>
  fileURLToPath(new URL(`../browser/looks/${name}`, import.meta.url))
const DRAWN_BY = lookAt('drawn-by.txt')

/** Whether stored pictures are drawn again (`UPDATE_LOOKS=1`) instead of compared. */
export const isDrawing = (): boolean => process.env['UPDATE_LOOKS'] !== undefined
/** Whether what the pages ask is recorded again, too (`UPDATE_LOOKS=record`), which changes every picture. */
export const isRecording = (): boolean => process.env['UPDATE_LOOKS'] === 'record'

/**
 * Whether pictures can be compared: another browser renders fonts differently. Says so if they cannot. Drawing stores
 * the browser.
 */
export function canCompare(browser: Browser): boolean {
  const [major] = browser.version().split('.')
  const name = `${basename(findChromium() ?? '')} ${major}`
  if (isDrawing()) writeFileSync(DRAWN_BY, `${name}\n`)
  const drawnBy = readFileSync(DRAWN_BY, 'utf8').trim()
  if (drawnBy !== name)
    process.stdout.write(`looks not compared: drawn by ${drawnBy}, this is ${name}\n`)
  return drawnBy === name
}

/** Compares a screenshot with the stored one, or replaces it while drawing; returns the difference in words, or null. */
export async function findDifference(
  what: Page | Locator,
  name: string,
  options: { fullPage?: boolean } = {},
): Promise<string | null> {
  const file = lookAt(`${name}.png`)
  const bytes = await what.screenshot({ animations: 'disabled', caret: 'hide', ...options })
  const draw = () => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    return null
  }
  if (!existsSync(file)) return isDrawing() ? draw() : `${name} has no picture`
  const before = readFileSync(file)
  // A picture of a page takes half a second to be read.
  if (bytes.equals(before)) return null
  const [now, kept] = [PNG.sync.read(bytes), PNG.sync.read(before)]
  const { width, height } = now
  const hasSameSize = width === kept.width && height === kept.height
  const different = hasSameSize
    ? pixelmatch(now.data, kept.data, undefined, width, height, { threshold: 0.1 })
    : Number.POSITIVE_INFINITY
  if (different <= MOST_DIFFERENT) return null
  if (isDrawing()) return draw()
  writeFileSync(lookAt(`${name}.now.png`), bytes)
  return hasSameSize
    ? `${name} differs in ${different} pixels: see ${name}.now.png`
    : `${name} is ${width} × ${height}, was ${kept.width} × ${kept.height}`
}

/** Asserts that a screenshot equals the stored one. */
export async function assertLook(what: Page | Locator, name: string): Promise<void> {
  assert.equal(await findDifference(what, name, { fullPage: true }), null)
}
