// Exact details: times and what is copied of them, addresses of single items, and rows that are held back while a user
// reads.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PNG } from 'pngjs'
import { assertAccessible } from '../kit/browser.ts'
import { connectByApi, describePanel, type Stage } from '../kit/panel.ts'

const HEADERS = { 'x-recado-panel': '1' }
const picture = PNG.sync.write(new PNG({ width: 8, height: 8 }))

async function messages(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { id } = await connectByApi(page, stage.origin)
  const base = `${stage.origin}/panel/api/test/v1/instances/${id}/messages`
  const data = { to: '5511999990001', text: 'Olá!' }
  await page.request.post(base, { headers: HEADERS, data: { type: 'text', ...data } })
  await page.goto(`/teste/instancias/${id}/mensagens`)

  // A time is exact while it has the focus, and UTC where it is pasted.
  const time = page.locator('tbody time').first()
  const at = await time.getAttribute('datetime')
  await time.focus()
  await page.locator('tbody time', { hasText: /\d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d BRT/ }).waitFor()
  await page.keyboard.press('Control+c')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), at)

  // A message has an address, which another user opens.
  await page.getByRole('button', { name: 'Olá!' }).first().click()
  await page.waitForURL(/mensagem=msg_/)
  await page.reload()
  const path = page.getByRole('dialog').getByRole('list', { name: 'Histórico da mensagem' })
  await path.getByText('lida').waitFor()
  await page.getByRole('button', { name: 'Fechar' }).click()
  await page.waitForURL((url) => !url.search.includes('mensagem'))
  assert.deepEqual(complaints, [])
  await context.close()
}

async function failedFile(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await page.goto(`/teste/instancias/${id}/mensagens?forma=image`)
  const form = page.getByRole('region', { name: 'Enviar' })
  await form.getByLabel('Para', { exact: true }).fill('+55 11 98888-0003')
  const file = { name: 'foto.png', mimeType: 'image/png', buffer: picture }
  await form.getByLabel('Arquivo', { exact: true }).setInputFiles(file)
  await form.getByLabel('Legenda').fill('A vitrine')
  await form.getByRole('button', { name: 'Enviar', exact: true }).click()
  await page.getByRole('cell', { name: /falhou/ }).waitFor()
  await page.getByRole('link', { name: 'Conversas' }).click()
  // The page of messages, where a button has the same name, is shown until this one is loaded.
  await page
    .locator('.inbox-rows')
    .getByRole('button', { name: /A vitrine/ })
    .click()
  const bubbles = page.locator('li[data-mine=true]', { hasText: 'A vitrine' })
  await bubbles.getByRole('button', { name: 'Tentar de novo' }).click()
  await bubbles.nth(1).getByText('falhou').waitFor()
  await bubbles.nth(1).locator('img').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function events(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await connectByApi(page, stage.origin)
  await page.goto('/teste/eventos')
  await page.getByRole('button', { name: 'call.received' }).click()
  const rows = page.locator('details.framed-item')
  await rows.first().waitFor()
  await page.getByRole('button', { name: 'Pausar' }).click()
  const shown = await rows.count()
  const context2 = await context.newPage()
  await context2.goto('/teste/telefone')
  await context2.getByLabel('Mensagem', { exact: true }).fill('oi')
  await context2.getByRole('button', { name: 'Enviar' }).click()
  // New rows are held back while a user reads, and none is lost.
  await page.getByRole('button', { name: /Retomar \(1 nova\)/ }).waitFor()
  assert.equal(await rows.count(), shown)
  await page.getByRole('button', { name: /Retomar/ }).click()
  await rows.filter({ hasText: 'message.received' }).first().locator('summary').click()
  await page.getByRole('button', { name: 'Copiar como curl' }).click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  assert.match(copied, /^curl -X POST http:.*X-Service-Event: message\.received.*"event":/s)
  assert.deepEqual(complaints, [])
  await context.close()
}

async function invoice(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const item = {
    id: 'in_1',
    number: 'R-0001',
    at: '2026-11-20T12:00:00.000Z',
    amount: 19900,
    currency: 'brl',
    status: 'paid',
    url: null,
    lines: [
      {
        description: '1 × Recado',
        amount: 19900,
      },
    ],
  }
  await page.route('**/panel/api/plan/invoices', (route) =>
    route.fulfill({ json: { items: [item] } }),
  )
  await page.goto('/producao/plano/faturas/in_1')
  await page.getByRole('heading', { name: 'Fatura R-0001' }).waitFor()
  await page.getByRole('cell', { name: '1 × Recado' }).waitFor()
  await assertAccessible(page, 'an invoice')
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('button', { name: 'Imprimir' }).waitFor({ state: 'hidden' })
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('button', { name: 'Imprimir' }).waitFor()
  await page.goto('/producao/plano/faturas/in_9')
  await page.getByText('Esta fatura não está entre as últimas.').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function savedViews(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await page.goto('/teste/auditoria')
  const open = () => page.getByRole('button', { name: 'Visões' }).click()
  await open()
  // There is nothing to save without a filter.
  const save = page.getByRole('menuitem', { name: 'Salvar esta visão' })
  assert.equal(await save.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Modo' }).selectOption('production')
  await page.waitForURL(/modo=production/)
  await open()
  await page.getByRole('menuitem', { name: 'Salvar esta visão' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Nome').fill('Só produção')
  await dialog.getByRole('button', { name: 'Salvar' }).click()
  await page.getByText('Só produção').waitFor()
  await assertAccessible(page, 'a saved view')
  // It is there without the filters, after a reload, and on no other page.
  await page.goto('/teste/auditoria')
  await open()
  await page.getByRole('menuitemcheckbox', { name: 'Só produção' }).click()
  await page.waitForURL(/modo=production/)
  await page.goto('/teste/requisicoes')
  await open()
  await page.getByRole('menuitem', { name: 'Salvar esta visão' }).waitFor()
  assert.equal(await page.getByText('Só produção').count(), 0)
  await page.goto('/teste/auditoria?modo=production')
  await page.getByText('Só produção').waitFor()
  await open()
  await page.getByRole('menuitem', { name: 'Excluir a visão Só produção' }).click()
  await page.getByText('Só produção').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('details of the panel', (stage) => {
  it('shows the exact time on focus, and gives every message its own address', () =>
    messages(stage()))
  it('resends a failed message in place, with its file', () => failedFile(stage()))
  it('holds back new events while a user reads, and copies one as a command', () => events(stage()))
  it('shows an invoice on a page for printing', () => invoice(stage()))
  it('keeps filters under a name, on every device', () => savedViews(stage()))
})
