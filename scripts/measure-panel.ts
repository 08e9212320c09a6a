// `npm run measure-panel`: prints the panel's bundle sizes, scroll rate and click latency; with
// --lighthouse, its Lighthouse scores instead.
import type { Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM, openPage } from '../test/kit/browser.ts'
import { buildPanel } from '../src/app/build-panel.ts'
import { stubThread } from '../test/kit/long-thread.ts'
import { connectByApi, openStage, walkFirstRun, type Stage } from '../test/kit/panel.ts'
import { panelSizes } from './panel-sizes.ts'
import { runLighthouse, type LighthouseReport } from './run-lighthouse.ts'

const RUNS = 3
const CONVERSATIONS = 5000
const MESSAGES = 50_000
/** The longest that scrolling through a conversation is measured. */
const THREAD_MS = 60_000
const PAGE_PX = 40
const PAGES = ['/entrar', '/criar-conta', '/teste/inicio', '/teste/instancias', '/teste/webhooks']

const print = (line: string) => void process.stdout.write(`${line}\n`)
const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
const percentile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN

function printSizes(): void {
  for (const { what, gzip, brotli, budget } of panelSizes()) {
    const over = gzip > budget ? '  OVER BUDGET' : ''
    print(
      `${what.padEnd(16)} ${gzip.toFixed(1)} KB gzip of ${budget}, ${brotli.toFixed(1)} KB brotli${over}`,
    )
  }
}

/** Stubs a list of thousands of conversations; `bench lists` measures the server's own lists. */
async function stubConversations(page: Page, instanceId: string): Promise<void> {
  await page.route('**/conversations?*', (route) => {
    const url = new URL(route.request().url())
    const limit = Number(url.searchParams.get('limit'))
    const offset = Number(url.searchParams.get('offset'))
    const items = Array.from({ length: Math.min(limit, CONVERSATIONS - offset) }, (_, index) => {
      const n = offset + index
      const at = new Date(Date.now() - n * 60_000).toISOString()
      return {
        id: `cnv_${n}`,
        instanceId,
        unreadCount: n % 3,
        archived: false,
        pinned: false,
        chat: {
          id: `55119${String(n).padStart(8, '0')}@s.whatsapp.net`,
          type: 'direct',
          name: null,
        },
        contact: {
          phone: `55119${String(n).padStart(8, '0')}`,
          lid: null,
          name: `Cliente ${n}`,
        },
        labelIds: [],
        lastMessage: {
          waMessageId: `${n}`,
          type: 'text',
          text: `Pedido ${n}`,
          fromMe: false,
          at,
        },
        lastMessageAt: at,
      }
    })
    const body = { items, limit, offset, hasMore: offset + limit < CONVERSATIONS }
    return route.fulfill({ json: body })
  })
}

/** Scrolls through all conversations in small steps and prints the frame rate, twice. */
async function measureScroll(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await stubConversations(page, id)
  await page.goto('/teste/conversas')
  await page.getByRole('button', { name: 'Cliente 0' }).waitFor()
  const scroll = `new Promise((resolve) => {
    const list = document.querySelector('.inbox-rows')
    const gaps = []
    let last = performance.now(), began = last, still = 0, top = -1
    const step = (now) => {
      gaps.push(now - last)
      last = now
      list.scrollTop += ${PAGE_PX * 8}
      still = list.scrollTop === top ? still + 1 : 0
      top = list.scrollTop
      // Stop after 60 frames without movement: at the end of the list, or of the loaded part.
      if (still > 60) resolve({ frames: gaps.length - still, ms: now - began - gaps.slice(-still).reduce((a, b) => a + b, 0),
        slow: gaps.slice(0, -still).filter((gap) => gap > 34).length, top })
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`
  type Scrolled = { frames: number; ms: number; slow: number; top: number }
  const first = await page.evaluate<Scrolled>(scroll)
  await page.evaluate("document.querySelector('.inbox-rows').scrollTop = 0")
  const again = await page.evaluate<Scrolled>(scroll)
  for (const [what, { frames, ms, slow, top }] of [
    ['while it loads', first],
    ['once loaded', again],
  ] as const) {
    const rate = (frames / ms) * 1000
    print(
      `conversations    ${CONVERSATIONS}, ${what}: ${rate.toFixed(0)} frames/s, ${slow} of ${frames} longer than 34 ms, ${Math.round(top)} px`,
    )
  }
  await context.close()
}

/** Scrolls up through a conversation of 50,000 messages while they load, and prints the frame rate. */
async function measureThread(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const api = `${stage.origin}/panel/api/test/v1/instances/${id}/messages`
  await page.request.post(api, {
    headers: { 'x-recado-panel': '1' },
    data: { to: '5511999998888', text: 'Oi' },
  })
  const { items } = (await (await page.request.get(api)).json()) as {
    items: Record<string, unknown>[]
  }
  await stubThread(page, items[0] ?? {}, () => MESSAGES)
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  await page
    .getByText(`Recado ${MESSAGES - 1}`)
    .first()
    .waitFor()
  const { frames, ms, slow, pages } = await page.evaluate<{
    frames: number
    ms: number
    slow: number
    pages: number
  }>(`new Promise((resolve) => {
    const thread = document.querySelector('.thread')
    const gaps = []
    const began = performance.now()
    let last = began
    const step = (now) => {
      gaps.push(now - last)
      last = now
      thread.scrollTop -= ${PAGE_PX * 4}
      const pages = document.querySelectorAll('.thread .bubbles').length
      if (thread.scrollTop === 0 && pages * 50 >= ${MESSAGES} || now - began > ${THREAD_MS}) {
        resolve({ frames: gaps.length, ms: now - began, slow: gaps.filter((gap) => gap > 34).length, pages })
      } else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
  const rate = (frames / ms) * 1000
  print(
    `messages         ${MESSAGES}, up through ${pages * 50} while they load: ${rate.toFixed(0)} frames/s, ${slow} of ${frames} longer than 34 ms`,
  )
  await context.close()
}

/** Clicks 30 times with a CPU slower by `rate`; returns the times to the next paint, in ms. */
async function clicksOf(
  page: Page,
  rate: number,
  click: (n: number) => Promise<void>,
): Promise<number[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
  await page.evaluate(`(() => {
    globalThis.clicks = []
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) {
        if (name === 'click') globalThis.clicks.push(duration)
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true })
  })()`)
  for (let n = 0; n < 30; n++) {
    await click(n)
    await page.waitForTimeout(150)
  }
  return page.evaluate<number[]>('globalThis.clicks')
}

/** Prints the time from a click on a conversation to the next paint, at full speed and at a quarter of it. */
async function measureClicks(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await stubConversations(page, id)
  await page.goto('/teste/conversas')
  await page.getByRole('button', { name: 'Cliente 0' }).waitFor()
  for (const [rate, most] of [
    [1, 100],
    [4, 200],
  ] as const) {
    const clicks = await clicksOf(page, rate, (n) =>
      page
        .locator('.inbox-rows button')
        .nth(n % 6)
        .click(),
    )
    print(
      `click to paint   p50 ${percentile(clicks, 0.5)} ms, p95 ${percentile(clicks, 0.95)} ms of ${most}, with a CPU slower by ${rate}, ${clicks.length} clicks`,
    )
  }
  await context.close()
}

/** Keystroke-level model in milliseconds: think, point and click (`find`); type a character. */
const PERSON = { find: 1350 + 1100 + 200, letter: 280 }

/** Prints the time from sign-up to the first webhook message, at full speed and at human pace. */
async function measureFirstRun({ browser, origin, dataDir }: Stage): Promise<void> {
  for (const [what, pace] of [
    ['scripted', null],
    ['at human pace', PERSON],
  ] as const) {
    const { page, context } = await openPage(browser, origin)
    const began = performance.now()
    const email = `eva-${pace?.find ?? 0}@empresa.com.br`
    const { clicks, fields } = await walkFirstRun(page, { email, dataDir, pace })
    const seconds = (performance.now() - began) / 1000
    print(
      `first run        ${what}: ${seconds.toFixed(1)} s of ${pace ? 120 : 25}, ${clicks} clicks of 16, ${fields} typed fields of 7`,
    )
    await context.close()
  }
}

/** Prints click latency among 1,000 live events while 20 more arrive each second, on a slow CPU. */
async function measureTail(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await page.addInitScript(`globalThis.EventSource = class extends EventTarget {
    constructor() {
      super()
      let n = 0
      const tell = (name, data) => this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }))
      const one = () => tell('event', { event: 'message.received', instanceId: ${JSON.stringify(id)},
        timestamp: new Date().toISOString(),
        data: { eventId: 'evt_' + n++, message: { text: 'Pedido ' + n, from: { phone: '5511988887777' } } } })
      setTimeout(() => {
        tell('ready', {})
        for (let count = 0; count < 1000; count++) one()
        setInterval(one, 50)
      }, 1000)
    }
    close() {}
  }`)
  await page.goto('/teste/eventos')
  await page.locator('.framed-item').nth(10).waitFor()
  // Rows move while the test aims at them: click a fixed position instead of a row.
  const row = await page.locator('.framed-item summary').nth(3).boundingBox()
  const clicks = await clicksOf(page, 4, () =>
    page.mouse.click((row?.x ?? 0) + 40, (row?.y ?? 0) + 10),
  )
  print(
    `live events      p50 ${percentile(clicks, 0.5)} ms, p95 ${percentile(clicks, 0.95)} ms of 200, at a quarter of the speed, ${clicks.length} clicks`,
  )
  await context.close()
}

const CATEGORIES = ['performance', 'accessibility', 'best-practices']

async function printLighthouse(
  stage: Stage,
  chrome: string,
  only: string | undefined,
): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  const cookies = await context.cookies(stage.origin)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  for (const desktop of [true, false]) {
    for (const path of PAGES.filter((page) => !only || page === only)) {
      const reports: LighthouseReport[] = []
      for (let run = 0; run < RUNS; run++) {
        const own = [
          // The live stream never ends: do not wait for it.
          '--max-wait-for-load=15000',
          ...(desktop ? ['--preset=desktop'] : []),
          ...(path.startsWith('/teste') ? [`--extra-headers=${JSON.stringify({ cookie })}`] : []),
        ]
        reports.push(await runLighthouse(`${stage.origin}${path}`, chrome, CATEGORIES, own))
      }
      const score = (name: string) =>
        Math.round(100 * median(reports.map(({ categories }) => categories[name]?.score ?? 0)))
      const audit = (name: string) =>
        median(reports.map(({ audits }) => audits[name]?.numericValue ?? Number.NaN))
      print(
        `${desktop ? 'desktop' : 'mobile '} ${path.padEnd(18)} ${score('performance')} / ${score('accessibility')} / ${score('best-practices')}` +
          `  LCP ${(audit('largest-contentful-paint') / 1000).toFixed(2)} s, TBT ${audit('total-blocking-time').toFixed(0)} ms, CLS ${audit('cumulative-layout-shift').toFixed(3)}`,
      )
    }
  }
  await context.close()
}

const chromium = findChromium(true)
if (!chromium) throw new Error(NO_CHROMIUM)
await buildPanel()
const stage = await openStage(chromium)
// --lighthouse, or --lighthouse=/teste/inicio
const asked = process.argv.find((argument) => argument.startsWith('--lighthouse'))
if (asked) {
  await printLighthouse(stage, chromium, asked.split('=')[1])
} else {
  printSizes()
  await measureScroll(stage)
  await measureThread(stage)
  await measureClicks(stage)
  await measureTail(stage)
  await measureFirstRun(stage)
}
await stage.close()
