// The bell: what waits for the user, and notifications of this browser.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { connectByApi, describePanel, type Stage } from '../kit/panel.ts'
import { fillRealistically } from '../kit/realistic.ts'

async function waiting(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await fillRealistically(page, stage)
  await page.goto('/teste/webhooks')
  await page.getByRole('button', { name: /^Avisos: \d+ esperando/ }).click()
  const popup = page.getByRole('dialog', { name: 'Avisos' })
  await popup.getByText('Gabriela', { exact: true }).waitFor()
  await popup.getByText('Planilha do contador').waitFor()
  await assertAccessible(page, 'the bell')
  await popup.getByText('Gabriela', { exact: true }).click()
  await page.waitForURL(/conversas\?.*conversa=cnv_/)
  await popup.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 2, name: 'Gabriela' }).waitFor()
  await context.close()
}

/** Headless browsers show no notifications, and their pages are never hidden: both are played here. */
const DESKTOP = `
  window.shown = []
  window.isAway = false
  window.Notification = class extends EventTarget {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { body }) { super(); window.shown.push([title, body]); window.last = this }
    close() {}
  }
  Object.defineProperty(document, 'hidden', { get: () => window.isAway })`

async function notifies(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.addInitScript(DESKTOP)
  const { phone } = await connectByApi(page, stage.origin)
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`${stage.origin}/panel/api/test/v1${path}`, {
      data,
      headers: { 'x-recado-panel': '1' },
    })
    return (await answer.json()) as { id: string }
  }
  const { id } = await post('/simulator/phones', { name: 'Gabriela' })
  const says = (text: string) => post(`/simulator/phones/${id}/messages`, { to: phone, text })
  const waiting = (count: number) =>
    page.getByRole('button', { name: `Avisos: ${count} esperando por você` }).waitFor()
  await page.goto('/teste/inicio')
  await says('antes')
  await waiting(1)
  await page.getByRole('button', { name: /^Avisos/ }).click()
  await page.getByLabel('Notificar neste computador').check()
  const live = page.waitForResponse(/\/live$/)
  await page.reload()
  await live
  await page.getByRole('button', { name: /^Avisos/ }).click()
  const popup = page.getByRole('dialog', { name: 'Avisos' })
  await popup.getByText('antes').waitFor()
  await says('na frente')
  // The event that shows this text is the one that must not notify.
  await popup.getByText('na frente').waitFor()
  await page.evaluate('window.isAway = true')
  await says('atrás')
  await waitUntil(page, 'window.shown.length > 0')
  assert.deepEqual(await page.evaluate('window.shown'), [['Gabriela', 'atrás']])
  await page.evaluate("window.last.dispatchEvent(new Event('click'))")
  await page.waitForURL(/conversas\?.*conversa=cnv_/)
  await context.close()
}

describePanel('the bell', (stage) => {
  it('counts and lists unread conversations and problems, and opens them', () => waiting(stage()))
  it('notifies of messages while the page is not looked at, if this browser is set to', () =>
    notifies(stage()))
})
