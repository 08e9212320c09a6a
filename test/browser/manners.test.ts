// What users expect without being told: the way back, copying anywhere, and no claim that is not true.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openPage } from '../kit/browser.ts'
import { connectByApi, describePanel, makeThings, type Stage } from '../kit/panel.ts'

async function firstVisit(stage: Stage): Promise<void> {
  const { page, context } = await openPage(stage.browser, stage.origin)
  await page.goto('/teste/chaves')
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  assert.equal(await page.getByText('Sua sessão expirou').count(), 0)
  // A wrong password is explained without codes for programmers.
  await page.getByLabel('E-mail').fill('ninguem@empresa.com.br')
  await page.getByLabel('Senha').fill('uma senha qualquer')
  await page.getByRole('button', { name: 'Entrar' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  assert.doesNotMatch(await alert.innerText(), /[A-Z_]{8,}|req_/)
  await context.close()
}

async function back(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/requisicoes')
  const result = page.getByLabel('Resultado')
  await result.waitFor()
  const [, second] = await result.locator('option').all()
  const value = (await second?.getAttribute('value')) ?? ''
  await result.selectOption(value)
  await page.waitForURL(/resultado=/)
  const search = page.getByLabel('Caminho, id ou mensagem')
  await search.fill('men')
  await page.waitForURL(/q=men/)
  await search.fill('mensagens')
  await page.waitForURL(/q=mensagens/)
  // Typing is one step with the choice before it; the choice is a step of its own.
  await page.goBack()
  await page.waitForURL((url) => url.pathname === '/teste/requisicoes' && url.search === '')
  assert.equal(await result.inputValue(), '')

  // The way back closes a dialog.
  await page.goto('/teste/chaves')
  await page.getByRole('button', { name: 'Criar chave' }).click()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Chaves de API' }).waitFor()
  await context.close()
}

async function copying(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  // Browsers offer no clipboard on plain http, except to this machine.
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
  await page.goto('/teste/chaves')
  await page.getByRole('button', { name: 'Criar chave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Criar' }).click()
  const secret = await page.getByRole('dialog').locator('code, pre').first().innerText()
  await page.evaluate(
    "addEventListener('copy', () => { globalThis.copied = document.activeElement.value })",
  )
  await page.getByRole('button', { name: 'Copiar', exact: true }).first().click()
  await page.getByText('Copiado').first().waitFor()
  const copied = await page.evaluate<string>('globalThis.copied')
  assert.ok(secret.includes(copied) && copied.length > 20, `${copied} of ${secret}`)
  // A browser that reports success without copying is not trusted.
  await page.evaluate('document.execCommand = () => false')
  await page.getByRole('tab').nth(1).click()
  await page.getByRole('button', { name: 'Copiar', exact: true }).last().click()
  await page.getByText('O navegador não permitiu copiar').waitFor()
  await context.close()
}

async function owner(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/equipe')
  const row = page.getByRole('row').nth(1)
  await row.waitFor()
  assert.equal(await row.getByRole('combobox').count(), 0)
  assert.equal(await row.getByRole('button').count(), 0)
  await row.getByTitle('A conta precisa de um Dono').waitFor()
  await context.close()
}

async function banned(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id, phone } = await connectByApi(page, stage.origin)
  const api = `${stage.origin}/panel/api/test/v1/simulator/phones`
  const phones = (await (await page.request.get(api)).json()) as {
    items: { id: string; phone: string }[]
  }
  const own = phones.items.find((one) => one.phone === phone)
  await page.request.post(`${api}/${own?.id}/ban`, { headers: { 'x-recado-panel': '1' } })
  await page.goto(`/teste/instancias/${id}`)
  await page.getByText('O WhatsApp baniu este número').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reconectar' }).count(), 0)
  assert.equal(await page.getByText(/\bban\b/).count(), 0)
  await page.getByRole('link', { name: 'Criar outra instância' }).click()
  await page.getByRole('dialog').waitFor()
  await context.close()
}

async function unsaved(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/equipe')
  const open = async () => {
    await page.getByRole('button', { name: 'Convidar' }).click()
    await page.getByRole('dialog').waitFor()
  }
  const dialog = page.getByRole('dialog')
  await open()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await open()
  await dialog.getByLabel('E-mail').fill('ana@empresa.com.br')
  await page.keyboard.press('Escape')
  await dialog.getByText('Descartar o que você preencheu?').waitFor()
  await dialog.getByRole('button', { name: 'Continuar' }).click()
  assert.equal(await dialog.getByLabel('E-mail').inputValue(), 'ana@empresa.com.br')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Descartar' }).click()
  await dialog.waitFor({ state: 'detached' })
  await context.close()
}

async function menuSheet(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter({ viewport: { width: 390, height: 700 } })
  await page.goto('/teste/inicio')
  await page.getByText('Criar e confirmar a conta').waitFor()
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  const button = page.getByRole('button', { name: 'Menu' })
  await button.click()
  const audit = page.getByRole('link', { name: 'Conta', exact: true })
  await audit.waitFor()
  const sheet = await page.locator('header.sidebar').boundingBox()
  assert.deepEqual([sheet?.y, sheet?.height], [0, 700 - 64])
  await page.keyboard.press('Escape')
  await audit.waitFor({ state: 'hidden' })
  assert.ok(await button.evaluate((element) => element === element.ownerDocument.activeElement))
  await button.click()
  await audit.click()
  await page.getByRole('heading', { name: 'Uso e créditos' }).waitFor()
  await audit.waitFor({ state: 'hidden' })
  await context.close()
}

async function chart(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  for (const text of ['um', 'dois', 'três']) {
    await page.request.post(`${stage.origin}/panel/api/test/v1/instances/${id}/messages`, {
      headers: { 'x-recado-panel': '1' },
      data: { to: '+55 11 98888-7777', text },
    })
  }
  await page.goto('/teste/uso')
  const bars = page.getByRole('group', { name: 'Mensagens por dia' })
  const tip = bars.getByRole('status')
  await bars.focus()
  for (let day = 0; day < 40; day++) await page.keyboard.press('ArrowRight')
  // Counts arrive a few seconds later, and the page looks again by itself.
  await tip.getByText('enviadas: 3').waitFor({ timeout: 20_000 })
  await page.keyboard.press('ArrowLeft')
  await tip.getByText('enviadas: 0').waitFor()
  const box = await bars.boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width - 3, box.y + 40)
  await tip.getByText('enviadas: 3').waitFor()
  // Half of the axis is a whole number, since these are counts.
  const axis = await page.locator('.axis').first().locator('span').allInnerTexts()
  assert.deepEqual(axis, ['4', '2', '0'])
  await context.close()
}

async function addressOfMode(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  assert.match(page.url(), /\/teste\/inicio$/)
  await context.close()
}

async function goingLive(stage: Stage): Promise<void> {
  const { page, context, projectId } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await makeThings(page, stage.origin, id)
  const post = (mode: string, path: string, data: object) =>
    page.request.post(`${stage.origin}/panel/api/${mode}/v1${path}`, {
      headers: { 'x-recado-panel': '1' },
      data,
    })
  await post('test', '/keys', { name: 'ERP' })
  const phone = (await (await post('test', '/simulator/phones', { name: 'Ana' })).json()) as {
    id: string
  }
  const instance = (await (
    await page.request.get(`${stage.origin}/panel/api/test/v1/instances/${id}`)
  ).json()) as { phone: string }
  await post('test', `/simulator/phones/${phone.id}/messages`, { to: instance.phone, text: 'oi' })
  await stage.ops('subscription', 'set', '--project', projectId, '--status', 'active')
  await post('production', '/keys', { name: 'ERP' })
  await page.goto('/teste/inicio')
  await page.getByText('Para ir a produção').waitFor()
  const left = page.locator('#passos').locator('..').locator('ul.list')
  assert.deepEqual(await left.locator('li').allInnerTexts(), [
    'Conectar o número da empresa',
    'Criar um webhook com HTTPS',
  ])
  await context.close()
}

async function wentElsewhere(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/webhooks/novo')
  await page.getByRole('button', { name: 'Usar o receptor de teste' }).click()
  await page.getByLabel('URL').and(page.locator('[value*="/caixa/"]')).waitFor()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  // The list that the action reloads before it opens its next page is slow.
  let release = () => {}
  const slow = new Promise<void>((open) => (release = open))
  await page.route('**/v1/webhooks', async (route) => {
    await slow
    await route.continue()
  })
  const reloads = page.waitForRequest('**/v1/webhooks')
  await page.getByRole('button', { name: 'Já salvei o segredo' }).click()
  await reloads
  await page.getByRole('link', { name: 'Celular virtual' }).click()
  await page.waitForURL('**/teste/telefone')
  const reloaded = page.waitForResponse('**/v1/webhooks')
  release()
  await reloaded
  await page.getByRole('link', { name: 'Instâncias' }).click()
  await page.getByRole('heading', { name: 'Instâncias' }).waitFor()
  await page.goBack()
  await page.waitForURL('**/teste/telefone')
  await context.close()
}

describePanel('manners of the panel', (stage) => {
  it('does not tell a first visitor that a session has ended, nor anyone codes about a password', () =>
    firstVisit(stage()))
  it('undoes a choice and closes a dialog on the way back', () => back(stage()))
  it('copies where the browser has no clipboard, and says when it cannot', () => copying(stage()))
  it('leaves a user alone who has gone elsewhere before an action was done', () =>
    wentElsewhere(stage()))
  it('offers no change of the only owner', () => owner(stage()))
  it('says once that a number is banned, and offers what helps', () => banned(stage()))
  it('opens the menu of a phone in view, wherever the page is scrolled to', () =>
    menuSheet(stage()))
  it('asks before Escape discards what was typed in a dialog', () => unsaved(stage()))
  it('shows the numbers of a chart under the pointer and by keyboard', () => chart(stage()))
  it('opens the start page at the address of a mode', () => addressOfMode(stage()))
  it('lists what is really left to do in production', () => goingLive(stage()))
})
