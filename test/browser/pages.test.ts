// Every page with realistic content: nothing is cut off, broken within a word, overlapping or outside the window.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../kit/browser.ts'
import { describePanel, type Stage } from '../kit/panel.ts'
import { fillRealistically, pagesOf } from '../kit/realistic.ts'

const MAX_BUTTON_HEIGHT = 46
/** Ids, addresses and code have no place to break. */
const MAX_WORD_LENGTH = 24

/** What a person would see as broken on the page that is shown; empty when nothing is. */
async function findDefects(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = []
    const say = (what, element) =>
      found.push(what + ': ' + (element.textContent || element.getAttribute('aria-label') || element.tagName).trim().slice(0, 60))
    const isShown = (element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !element.closest('.visually-hidden, .skip-link, [inert]')
    // What a scrolling ancestor has scrolled away covers nothing.
    const visibleBox = (element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect()
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (!/auto|scroll|hidden/.test(getComputedStyle(at).overflowY)) continue
        const frame = at.getBoundingClientRect()
        left = Math.max(left, frame.left)
        right = Math.min(right, frame.right)
        top = Math.max(top, frame.top)
        bottom = Math.min(bottom, frame.bottom)
      }
      return { left, right, top, bottom }
    }
    const scrolls = (element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true
      }
      return false
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page scrolls sideways')
    const controls = [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')].filter(isShown)
    for (const control of controls) {
      const box = control.getBoundingClientRect()
      if (box.width === 0) continue
      if ((box.right > innerWidth + 1 || box.left < -1) && !scrolls(control)) say('outside the window', control)
      if (control.matches('.button') && box.height > ${MAX_BUTTON_HEIGHT}) say('wrapped button', control)
    }
    const main = document.querySelector('main')
    const inMain = controls.filter((one) => main.contains(one) && !one.closest('.bubble-actions, .rdp-root, tr, li > button'))
    for (const [index, one] of inMain.entries()) {
      const a = visibleBox(one)
      for (const other of inMain.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue
        // The button that shows a password is within its field.
        const field = one.closest('.password-field')
        if (field && field.contains(other)) continue
        const b = visibleBox(other)
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (width > 4 && height > 4) say('overlaps ' + (other.textContent || other.tagName).trim().slice(0, 30), one)
      }
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      if (!element || !node.data.trim() || !isShown(element)) continue
      if (element.closest('code, pre, script, style, option, del, ins, .json, .code-block')) continue
      const style = getComputedStyle(element)
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
      if (isCut && /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis') say('cut off', element)
      for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        if (word.length > ${MAX_WORD_LENGTH}) continue
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) say('broken word ' + word, element)
      }
    }
    return [...new Set(found)]
  })()`)
}

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

async function everyPage(stage: Stage, language: string, widths: readonly number[]): Promise<void> {
  const { page, context } = await stage.enter()
  await page.addInitScript(`localStorage.setItem('recado.language', ${JSON.stringify(language)})`)
  const paths = pagesOf(await fillRealistically(page, stage))
  const defects: string[] = []
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(`/teste/${path}`)
    await settle(page)
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 800 ? 844 : 800 })
      for (const defect of await findDefects(page)) defects.push(`${name} at ${width}: ${defect}`)
    }
    if (language === 'pt-BR') await assertAccessible(page, `${name} in ${language}`)
  }
  assert.deepEqual(defects, [])
  await context.close()
}

describePanel('every page of the panel', (stage) => {
  for (const [language, widths] of [
    ['pt-BR', [390, 1280, 1440]],
    ['en', [390, 1280]],
    ['es', [390, 1280]],
    ['pseudo', [390, 1280]],
  ] as const) {
    it(`shows whole words, whole buttons and no overlap in ${language}`, () =>
      everyPage(stage(), language, widths))
  }
})
