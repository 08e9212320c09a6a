// The panel as an app: it can be installed, preloads its frame, and says when the server is away.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator } from 'playwright-core'
import { waitUntil } from '../kit/browser.ts'
import { describePanel, type Stage } from '../kit/panel.ts'

async function offline(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter({ serviceWorkers: 'allow' })
  await page.goto('/teste/inicio')
  await waitUntil(
    page,
    'globalThis.isReady ??= (navigator.serviceWorker.ready.then(() => (globalThis.isReady = true)), false)',
  )
  await context.setOffline(true)
  await page.goto('/teste/webhooks')
  await page.getByRole('heading', { name: 'Sem conexão' }).waitFor()
  // It comes back by itself.
  await context.setOffline(false)
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await context.close()
}

async function manifest(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/inicio')
  const href = await page.locator('link[rel=manifest]').getAttribute('href')
  const answer = await page.request.get(`${stage.origin}${href}`)
  assert.match(answer.headers()['content-type'] ?? '', /manifest\+json/)
  const { icons } = (await answer.json()) as { icons: { src: string; type: string }[] }
  for (const { src, type } of icons) {
    const icon = await page.request.get(`${stage.origin}${src}`)
    assert.deepEqual([icon.status(), icon.headers()['content-type']], [200, type], src)
  }
  await context.close()
}

async function preloads(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const answer = await page.request.get(`${stage.origin}/teste/inicio`)
  const scripts = [...(answer.headers()['link'] ?? '').matchAll(/<([^>]+)>; rel=modulepreload/g)]
  assert.ok(
    scripts.some(([, path]) => /\/assets\/frame-/.test(path ?? '')),
    answer.headers()['link'],
  )
  const font = /<link rel="preload" as="font"[^>]*href="([^"]+)"/.exec(await answer.text())?.[1]
  assert.ok(font, 'no font is preloaded')
  for (const path of [...scripts.map(([, script]) => script), font]) {
    assert.equal((await page.request.get(`${stage.origin}${path}`)).status(), 200, path)
  }
  await context.close()
}

/** The frame stands before any script has arrived, on the pages that have it, and the user is read once. */
async function firstFrame(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/assets/index-*.js', async (route) => {
    await held
    await route.continue()
  })
  // A second request of the user fails: the panel uses the answer to the early one.
  let readings = 0
  await page.route('**/panel/api/me', (route) =>
    readings++ === 0 ? route.continue() : route.abort(),
  )
  await page.goto('/entrar', { waitUntil: 'commit' })
  await page.locator('.first-frame').waitFor({ state: 'attached' })
  assert.equal(await page.locator('.first-frame').isVisible(), false)
  assert.equal(readings, 0)
  await page.goto('/teste/inicio', { waitUntil: 'commit' })
  const brand = page.locator('.first-frame .brand')
  await brand.waitFor()
  const placeOf = async (one: Locator) => {
    await page.evaluate('document.fonts.ready')
    return one.boundingBox()
  }
  const before = await placeOf(brand)
  assert.equal(readings, 1)
  release()
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.locator('.first-frame').count(), 0)
  // What replaces it stands in the same place.
  assert.deepEqual(await placeOf(page.locator('.shell .brand')), before)
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('the panel as an app', (stage) => {
  it('shows its own page while the server cannot be reached, and comes back', () =>
    offline(stage()))
  it('can be installed: its manifest and icons are there', () => manifest(stage()))
  it('preloads the scripts of its frame and its font', () => preloads(stage()))
  it('shows its frame while the scripts load', () => firstFrame(stage()))
})
