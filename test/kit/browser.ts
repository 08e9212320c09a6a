import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/** The headless shell first: tests take a third less time in it. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Path of an installed Chromium, or null. `whole` skips the headless shell. */
export const findChromium = (whole = false): string | null =>
  PLACES.find((path) => existsSync(path) && !(whole && path.endsWith('shell'))) ?? null

/** Reason for skipping browser tests. */
export const NO_CHROMIUM =
  'Chromium is not installed: apt-get install chromium, then run the tests again'

/** A page whose console and network errors are recorded. */
export type Watched = {
  context: BrowserContext
  page: Page
  /** Console errors and warnings, uncaught errors, and requests to other origins. */
  complaints: string[]
}

/** Every page opened since the last `takeComplaints`. */
const opened: Watched[] = []

/** Messages that the browser logs for failed requests, which tests cause on purpose. */
const REFUSED =
  /^Failed to load resource: (the server responded with a status of|net::ERR_)|^ScriptUnavailable: /

/** What Playwright logs for `serviceWorkers: 'block'`. */
const WORKER_BLOCKED = 'Service Worker registration blocked by Playwright'

/** Returns and clears the recorded errors of all pages, except failed requests that tests cause on purpose. */
export const takeComplaints = (): string[] =>
  opened.splice(0).flatMap(({ complaints }) => complaints.filter((text) => !REFUSED.test(text)))

/** Launches a headless browser; `own` are additional command-line arguments. */
export async function launchBrowser(executablePath: string, own: string[] = []): Promise<Browser> {
  // A microphone that hums, and no question whether it may be used.
  const microphone = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...microphone, ...own]
  return chromium.launch({ executablePath, args })
}

/** Opens a page in a fresh browser profile and records its errors. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'pt-BR',
    reducedMotion: 'reduce',
    // A service worker hides requests from the tests that cause their failure.
    serviceWorkers: 'block',
    ...options,
  })
  const page = await context.newPage()
  // A handler of `page.route` that is still fetching when a test ends must not fail the file.
  const close = context.close.bind(context)
  context.close = async (why) => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close(why)
  }
  const complaints: string[] = []
  page.on('console', (message) => {
    const isOurs = message.text() !== WORKER_BLOCKED
    if (isOurs && ['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    const isOwn = [origin, `blob:${origin}`, 'data:'].some((start) => url.startsWith(start))
    if (!isOwn) complaints.push(`request to another origin: ${url}`)
  })
  const watched = { context, page, complaints }
  opened.push(watched)
  return watched
}

/** The longest that a page may take to do what a test waits for. */
const MAX_WAIT_MS = 60_000

/**
 * Waits until an expression is true in the page. Playwright's own waitForFunction evaluates strings inside the page
 * from its second evaluation on, which the page's content security policy forbids.
 */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    assert.ok(Date.now() < deadline, `never true: ${expression}`)
    await page.waitForTimeout(20)
  }
}

/** The only rules that a change of theme can break. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Asserts that axe finds no violation on the page. `colours` limits it to the rules that depend on the theme. */
export async function assertAccessible(page: Page, what: string, colours = false): Promise<void> {
  // `evaluate` bypasses the page's content security policy, which applies only to the page's own scripts.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE)
  const violations = await page.evaluate(
    async (rules) => {
      const axe = (
        globalThis as unknown as {
          axe: {
            run(
              context: object,
              options: object,
            ): Promise<{
              violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
            }>
          }
        }
      ).axe
      // Base UI's guards take the focus only to pass it on.
      const context = { exclude: ['[data-base-ui-focus-guard]'] }
      const found = await axe.run(context, { runOnly: rules, resultTypes: ['violations'] })
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      )
    },
    colours ? { type: 'rule', values: OF_COLOURS } : { type: 'tag', values: RULES },
  )
  assert.deepEqual(violations, [], what)
}
