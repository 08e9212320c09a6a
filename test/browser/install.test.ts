// The panel as an app: it can be installed, preloads its frame, and says when the server is away.
import assert from 'node:assert/strict'
import { it } from 'node:test'
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
    scripts.some(([, path]) => /\/assets\/shell-/.test(path ?? '')),
    answer.headers()['link'],
  )
  const font = /<link rel="preload" as="font"[^>]*href="([^"]+)"/.exec(await answer.text())?.[1]
  assert.ok(font, 'no font is preloaded')
  for (const path of [...scripts.map(([, script]) => script), font]) {
    assert.equal((await page.request.get(`${stage.origin}${path}`)).status(), 200, path)
  }
  await context.close()
}

describePanel('the panel as an app', (stage) => {
  it('shows its own page while the server cannot be reached, and comes back', () =>
    offline(stage()))
  it('can be installed: its manifest and icons are there', () => manifest(stage()))
  it('preloads the scripts of its frame and its font', () => preloads(stage()))
})
