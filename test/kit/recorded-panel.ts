import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'

/** What the panel's pages asked a server with realistic content, and its answers: each page looks the same every time. */
export type Recording = {
  /** The time that the pages have. */
  at: string
  /** The addresses of the pages within the mode, by name. */
  paths: Record<string, string>
  answers: Record<string, { status: number; type: string; base64: string }>
}

/** The address of a recorded panel, which some pages show; nothing listens there. */
export const RECORDED_ORIGIN = 'http://localhost'

/** Reads a recording; null if there is none. */
export const readRecording = (file: string): Recording | null =>
  existsSync(file) ? (JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recording) : null

/** Stores a recording. */
export const writeRecording = (file: string, recording: Recording): void =>
  writeFileSync(file, gzipSync(JSON.stringify(recording), { level: 9 }))

const EVENT_SOURCE = `globalThis.EventSource = class extends EventTarget {
  constructor() {
    super()
    setTimeout(() => this.dispatchEvent(new MessageEvent('ready', { data: '{}' })))
  }
  close() {}
}`

/** Counts the requests of a page where they start: this process learns of them only later. */
const COUNT_REQUESTS = `{
  globalThis.unanswered = 0
  const { fetch } = globalThis
  globalThis.fetch = (...args) => {
    globalThis.unanswered++
    return fetch(...args).finally(() => globalThis.unanswered--)
  }
}`

const QUIET_PAINTS = 3
/**
 * What the page still waits for after two paints at its top: requests without an answer, skeletons, and pictures on the
 * screen, which the browser requests by itself. Pictures count until they are decoded.
 */
const WAITS_AFTER_TWO_PAINTS = `(async () => {
  scrollTo(0, 0)
  const paint = () => new Promise((painted) => requestAnimationFrame(painted))
  await paint()
  await paint()
  const pictures = [...document.images].filter((image) => {
    const { top, bottom } = image.getBoundingClientRect()
    return bottom >= 0 && top < innerHeight
  })
  const loading = pictures.filter((image) => !image.complete)
  const loaded = pictures.filter((image) => image.naturalWidth > 0)
  await Promise.all(loaded.map((image) => image.decode().catch(() => {})))
  return globalThis.unanswered + loading.length + document.querySelectorAll('.skeleton').length
})()`

/**
 * Serves the panel of `origin` at `RECORDED_ORIGIN`, at the recorded time, with the recorded answers; a live connection
 * that says nothing; and changes that are accepted and change nothing. With `ask`, answers that are missing come from
 * that server and are recorded; else they are added to `missing`.
 */
export async function serveRecorded(
  page: Page,
  origin: string,
  recording: Recording,
  ask: Page | null,
): Promise<{ missing: string[]; settle: () => Promise<void> }> {
  const missing: string[] = []
  const files = new Map<string, { status: number; headers: Record<string, string>; body: Buffer }>()
  await page.clock.setFixedTime(recording.at)
  await page.addInitScript(EVENT_SOURCE)
  await page.addInitScript(COUNT_REQUESTS)

  async function answer(route: Route, path: string): Promise<void> {
    const request = route.request()
    if (request.method() !== 'GET') return route.fulfill({ json: {} })
    // No message is pinned.
    if (path.includes('pinned=true'))
      return route.fulfill({ json: { items: [], limit: 3, offset: 0, hasMore: false } })
    // No picture of a list is stored.
    if (path.endsWith('cached=true')) return route.fulfill({ status: 204 })
    let known = recording.answers[path]
    if (!known && ask) {
      const got = await ask.request.get(`${origin}${path}`)
      known = {
        status: got.status(),
        type: got.headers()['content-type'] ?? '',
        base64: (await got.body()).toString('base64'),
      }
      recording.answers[path] = known
    }
    if (!known) {
      missing.push(path)
      return route.fulfill({ status: 404, json: { error: { code: 'NOT_FOUND', message: path } } })
    }
    const { status, type: contentType, base64 } = known
    return route.fulfill({ status, contentType, body: Buffer.from(base64, 'base64') })
  }

  /** Requests that are not answered yet, also of scripts, styles and fonts. */
  let pending = 0
  async function serve(route: Route): Promise<void> {
    const { pathname, search } = new URL(route.request().url())
    const path = `${pathname}${search}`
    if (pathname.startsWith('/panel/api/')) return answer(route, path)
    const isFile = pathname.includes('.')
    const key = isFile ? path : '/'
    let file = files.get(key)
    if (!file) {
      const got = await route.fetch({ url: `${origin}${path}` })
      file = { status: got.status(), headers: got.headers(), body: await got.body() }
      files.set(key, file)
    }
    return route.fulfill(file)
  }

  await page.route(`${RECORDED_ORIGIN}/**`, async (route) => {
    pending++
    await serve(route).finally(() => pending--)
  })
  return {
    missing,
    /** Waits, at the top of the page, until it has painted several times without asking anything. */
    async settle() {
      for (let quiet = 0; quiet < QUIET_PAINTS; quiet++) {
        const waits = await page.evaluate(WAITS_AFTER_TWO_PAINTS)
        if (pending > 0 || waits !== 0) quiet = -1
      }
    },
  }
}
