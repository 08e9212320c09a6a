// Tables with realistic content at the widths of desktops: rows of one line, no broken words, nothing cut off at the edge.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { connectByApi, describePanel, makeThings, type Stage } from '../kit/panel.ts'

/** Narrower windows show each row as a card: beside the sidebar there is no room for columns. */
const CARDS_BELOW = 1024
/** A row of one line with a button, its padding and its border. */
const MAX_ROW_HEIGHT = 42
/** A button of one line, as high as a finger needs it. */
const MAX_BUTTON_HEIGHT = 46
const WIDTHS = [640, 820, 1024, 1152, 1280, 1440]
const LONG =
  'Bom dia! Seu pedido de número 48213 já saiu da padaria e chega entre 16h e 16h30, é só avisar na portaria.'

type Defects = { rows: string[]; buttons: string[]; tables: string[] }

/** What looks wrong in the tables shown: rows higher than a line, wrapped buttons, tables wider than their frame. */
async function findDefects(page: Page): Promise<Defects> {
  return page.evaluate<Defects>(`(() => {
    const rows = [...document.querySelectorAll('.table-frame tbody tr')]
      .filter((row) => ![...row.children].some((cell) => cell.matches('.full-width')))
      .filter((row) => row.getBoundingClientRect().height > ${MAX_ROW_HEIGHT})
    const buttons = [...document.querySelectorAll('.table-frame .button')]
      .filter((button) => button.getBoundingClientRect().height > ${MAX_BUTTON_HEIGHT})
    const tables = [...document.querySelectorAll('.table-frame')]
      .filter((frame) => frame.scrollWidth > frame.clientWidth + 1)
    const textsOf = (all) => all.map((one) => one.textContent.slice(0, 80))
    return { rows: textsOf(rows), buttons: textsOf(buttons), tables: textsOf(tables) }
  })()`)
}

async function everyTable(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const { campaign } = await makeThings(page, stage.origin, id)
  const post = (path: string, data: object) =>
    page.request.post(`${stage.origin}/panel/api/test/v1${path}`, {
      headers: { 'x-recado-panel': '1' },
      data,
    })
  const message = { to: '+55 11 98888-7777', text: LONG }
  await post(`/instances/${id}/messages`, message)
  await post(`/instances/${id}/scheduled-messages`, { sendAt: '2199-01-01T12:00:00Z', message })
  await post('/keys', { name: 'ERP da matriz, integração de pedidos e notas' })
  await post('/webhooks', {
    name: 'CRM do atendimento',
    url: `https://hooks.example.com.br/${'recado/'.repeat(12)}`,
    events: ['message.received', 'message.status', 'group.participants'],
  })
  const pages = [
    'instancias',
    `instancias/${id}/mensagens`,
    'chaves',
    'webhooks',
    'campanhas',
    `campanhas/${campaign}`,
    'grupos',
    'etiquetas',
    'chamadas',
    'requisicoes',
    'auditoria',
    'equipe',
    'uso',
  ]
  for (const path of pages) {
    await page.goto(`/teste/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const { rows, ...defects } = await findDefects(page)
      const where = `${path} at ${width}`
      assert.deepEqual(defects, { buttons: [], tables: [] }, where)
      if (width >= CARDS_BELOW) assert.deepEqual(rows, [], where)
    }
  }
  await context.close()
}

async function cutText(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await page.request.post(`${stage.origin}/panel/api/test/v1/instances/${id}/messages`, {
    headers: { 'x-recado-panel': '1' },
    data: { to: '+55 11 98888-7777', text: LONG },
  })
  await page.setViewportSize({ width: 1152, height: 900 })
  await page.goto(`/teste/instancias/${id}/mensagens`)
  const opener = page.getByRole('cell').getByRole('button', { name: LONG, exact: true })
  await opener.waitFor()
  const isCut = await opener.evaluate((box) => box.scrollWidth > box.clientWidth)
  assert.ok(isCut, 'the text is shown in full: the test needs a longer one')
  assert.equal(await opener.getAttribute('title'), LONG)
  await context.close()
}

/** Presses a key on what has the focus faster than the window can scroll, as on a busy computer. */
async function pressWithoutFrames(page: Page, key: string, times: number): Promise<void> {
  await page.evaluate(`(async () => {
    for (let press = 0; press < ${times}; press++) {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))
      await null
    }
  })()`)
}

/** A table of a thousand rows, as cards and as a table: few are in the page, and the last one is reached. */
async function longTable(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const COUNT = 1000
  await page.route('**/panel/api/test/v1/keys', (route) =>
    route.fulfill({
      json: {
        items: Array.from({ length: COUNT }, (_, index) => ({
          id: `key_${index}`,
          name: `Integração ${index}`,
          keyPrefix: `svc_test_${index}`,
          mode: 'test',
          status: 'active',
          createdAt: '2026-11-01T12:00:00Z',
          expiresAt: null,
          lastUsedAt: null,
          restrictions: null,
        })),
      },
    }),
  )
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/teste/chaves')
    await page.getByText('Integração 0', { exact: true }).waitFor()
    const rows = page.locator('tbody tr:not(.spacer)')
    await waitUntil(page, `document.querySelectorAll('tbody tr').length < 120`)
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), `${COUNT + 1}`)
    assert.equal(await rows.first().getAttribute('aria-rowindex'), '2')
    await assertAccessible(page, `a long table at ${width}`)
    // Heights of cards are known once they are shown, so that the end moves on the way to it.
    const last = page.getByText(`Integração ${COUNT - 1}`, { exact: true })
    while (!(await last.isVisible())) await page.mouse.wheel(0, 20_000)
    assert.equal(await rows.last().getAttribute('aria-rowindex'), `${COUNT + 1}`)
    assert.ok((await rows.count()) < 120)
    // From row to row with the keyboard, also to rows that were not rendered before.
    await rows.last().getByRole('button', { name: 'Ações' }).focus()
    await page.keyboard.press('k')
    await pressWithoutFrames(page, 'k', 59)
    await page.getByText(`Integração ${COUNT - 61}`, { exact: true }).waitFor()
    const focused = `document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')`
    assert.equal(await page.evaluate(focused), `${COUNT + 1 - 60}`)
  }
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('tables of the panel', (stage) => {
  it('tables have single-line rows, whole words and whole buttons at every width', () =>
    everyTable(stage()))
  it('long tables render only the rows near the viewport, and every row can be reached', () =>
    longTable(stage()))
  it('tables show truncated text in a tooltip', () => cutText(stage()))
})
