import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/** The one without a window first: it takes two thirds of the time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Where this machine's chromium is; null when it has none. `whole`: the one that people use. */
export const findChromium = (whole = false): string | null =>
  PLACES.find((path) => existsSync(path) && !(whole && path.endsWith('shell'))) ?? null

export const NO_CHROMIUM =
  'no chromium on this machine: apt-get install chromium, then run the tests again'

export type Watched = {
  context: BrowserContext
  page: Page
  /** Errors and warnings of the console, uncaught errors, and requests to other origins. */
  complaints: string[]
}

/** Every page that was opened, with what it complained of. */
const opened: Watched[] = []

/** What the browser itself says of an answer that is no success, or that never came: tests cause those on purpose. */
const REFUSED =
  /^Failed to load resource: (the server responded with a status of|net::ERR_)|^TypeError: Failed to fetch dynamically imported/

/** All that pages have complained of since this was asked last, but for refusals and faults that were meant to happen. */
export const takeComplaints = (): string[] =>
  opened.splice(0).flatMap(({ complaints }) => complaints.filter((text) => !REFUSED.test(text)))

export async function launchBrowser(executablePath: string, own: string[] = []): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...own]
  return chromium.launch({ executablePath, args })
}

/** A page of a fresh browser profile, with an ear for whatever it complains of. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) complaints.push(`asked ${url}`)
  })
  const watched = { context, page, complaints }
  opened.push(watched)
  return watched
}

/** What another theme may break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Asks axe what is wrong with the page as it stands: nothing. `colours`: of what a theme changes alone. */
export async function assertAccessible(page: Page, what: string, colours = false): Promise<void> {
  // As a person's own tool does it: what the page's policy forbids, it forbids its own scripts.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE)
  const violations = await page.evaluate(
    async (rules) => {
      const axe = (
        globalThis as unknown as {
          axe: {
            run(options: object): Promise<{
              violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
            }>
          }
        }
      ).axe
      const found = await axe.run({ runOnly: rules, resultTypes: ['violations'] })
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      )
    },
    colours ? { type: 'rule', values: OF_COLOURS } : { type: 'tag', values: RULES },
  )
  assert.deepEqual(violations, [], what)
}
