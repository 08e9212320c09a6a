// The list of conversations: what it shows, finds and keeps.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Request } from 'playwright-core'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { numberOf } from '../kit/inbox.ts'
import { connectByApi, describePanel, poster, type Stage } from '../kit/panel.ts'

async function savedFilters(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (const to of [numberOf(0), numberOf(1)])
    await post(`/instances/${id}/messages`, { to, text: 'oi' })
  const open = () => page.getByRole('button', { name: 'Visões' }).click()
  for (const path of ['/teste/conversas', '/teste/contatos']) {
    await page.goto(`${path}?q=1009`)
    await open()
    await page.getByRole('menuitem', { name: 'Salvar esta visão' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Nome').fill('A primeira')
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await page.getByRole('button', { name: 'A primeira' }).waitFor()
    await assertAccessible(page, `a saved view of ${path}`)
    await page.goto(path)
    await open()
    await page.getByRole('menuitemcheckbox', { name: 'A primeira' }).click()
    await page.waitForURL(/q=.*1009/)
    assert.equal(await page.getByRole('searchbox').inputValue(), '1009')
  }
  await page.goto('/teste/conversas')
  await open()
  await page.getByRole('menuitemcheckbox', { name: 'A primeira' }).click()
  await waitUntil(page, 'document.querySelectorAll(".inbox-rows button").length === 1')
  assert.deepEqual(complaints, [])
  await context.close()
}

async function pins(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id, phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  await post(`/simulator/phones/${ana.id}/messages`, { to: phone, text: 'O portão fecha às 18h' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const bubble = page.getByRole('log').getByText('O portão fecha às 18h')
  await bubble.hover()
  await page.getByRole('log').getByRole('button', { name: 'Ações' }).click()
  await page.getByRole('menuitem', { name: '7 dias' }).click()
  const bar = page.getByRole('list', { name: 'Mensagens fixadas' })
  await bar.getByRole('button', { name: 'O portão fecha às 18h' }).click()
  await page.getByRole('log').getByText('Fixada', { exact: true }).waitFor({ state: 'attached' })
  await assertAccessible(page, 'a conversation with a pinned message')
  await bubble.hover()
  await page.getByRole('log').getByRole('button', { name: 'Ações' }).click()
  await page.getByRole('menuitem', { name: 'Desafixar' }).click()
  await bar.waitFor({ state: 'detached' })
  // A contact pins, too, and the open page shows it.
  const { waMessageId } = await post(`/instances/${id}/messages`, {
    to: ana.phone,
    text: 'Combinado',
  })
  await page.getByRole('log').getByText('Combinado').waitFor()
  const path = `/panel/api/test/v1/simulator/phones/${ana.id}/messages/${waMessageId}/pin`
  const pinned = await page.request.put(`${stage.origin}${path}`, {
    data: { seconds: 86_400 },
    headers: { 'x-recado-panel': '1' },
  })
  assert.equal(pinned.status(), 200)
  await bar.getByRole('button', { name: 'Combinado' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function stars(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id, phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  for (const text of ['Bom dia', 'Entreguem no portão azul'])
    await post(`/simulator/phones/${ana.id}/messages`, { to: phone, text })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const log = page.getByRole('log')
  const bubble = log.getByRole('listitem').filter({ hasText: 'Entreguem no portão azul' })
  const choose = async (name: string) => {
    await bubble.hover()
    await bubble.getByRole('button', { name: 'Ações' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Marcar com estrela')
  await bubble.getByText('Com estrela', { exact: true }).waitFor({ state: 'attached' })
  await assertAccessible(page, 'a conversation with a starred message')
  // The log of the instance lists the starred ones alone.
  await page.goto(`/teste/instancias/${id}/mensagens`)
  const rows = page.getByRole('row').filter({ hasText: 'Ana' })
  await rows.nth(1).waitFor()
  await page.getByLabel('Estrela').selectOption('marcadas')
  await waitUntil(page, 'document.querySelectorAll("tbody tr").length === 1')
  await rows.filter({ hasText: 'Entreguem no portão azul' }).waitFor()
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  await choose('Tirar a estrela')
  await bubble.getByText('Com estrela', { exact: true }).waitFor({ state: 'detached' })
  // Someone keeps a message of a chat whose messages disappear.
  const { items } = (await (
    await page.request.get(`${stage.origin}/panel/api/test/v1/instances/${id}/messages`)
  ).json()) as { items: { waMessageId: string }[] }
  const path = `/panel/api/test/v1/simulator/phones/${ana.id}/messages/${items[0]?.waMessageId}/keep`
  const kept = await page.request.put(`${stage.origin}${path}`, {
    headers: { 'x-recado-panel': '1' },
  })
  assert.equal(kept.status(), 200)
  await bubble.getByText('Mantida', { exact: true }).waitFor({ state: 'attached' })
  assert.deepEqual(complaints, [])
  await context.close()
}

async function byKeyboard(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (const name of ['Ana', 'Bia']) {
    const { id } = await post('/simulator/phones', { name })
    await post(`/simulator/phones/${id}/messages`, { to: phone, text: `oi da ${name}` })
  }
  await page.goto('/teste/conversas')
  const field = page.getByLabel('Mensagem', { exact: true })
  await page.getByRole('button', { name: /Bia/ }).first().click()
  await field.waitFor()
  await waitUntil(page, "document.activeElement?.tagName === 'TEXTAREA'")
  await waitUntil(page, "document.title.startsWith('(1) ')")
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByRole('heading', { name: 'Ana' }).waitFor()
  await waitUntil(page, "document.activeElement?.tagName === 'TEXTAREA'")
  await waitUntil(page, "!document.title.startsWith('(')")
  await page.keyboard.press('Escape')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'Bia' }).waitFor()
  assert.equal(await field.inputValue(), '')
  // The palette stays at its place, and ends at once.
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog')
  const { y: before } = (await palette.boundingBox()) ?? { y: -1 }
  await page.keyboard.type('zzzz')
  await page.getByText('Nada encontrado').waitFor()
  const { y: after } = (await palette.boundingBox()) ?? { y: -2 }
  assert.equal(after, before)
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  await context.close()
}

/** A conversation that is read stays in the view of unread ones until another is opened. */
async function unreadView(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (const name of ['Ana', 'Bia', 'Rui']) {
    const { id } = await post('/simulator/phones', { name })
    await post(`/simulator/phones/${id}/messages`, { to: phone, text: `oi da ${name}` })
  }
  await page.goto('/teste/conversas?ver=nao-lidas')
  const rows = page.locator('.inbox-rows button')
  await rows.nth(2).waitFor()
  const read = page.waitForResponse((response) => response.url().endsWith('/messages/read'))
  await rows.filter({ hasText: 'Bia' }).click()
  await read
  await waitUntil(page, "document.title.startsWith('(2) ')")
  // Long enough for the list to have been loaded again.
  await page.waitForLoadState('networkidle')
  assert.deepEqual(
    (await rows.allInnerTexts()).map((row) => /Ana|Bia|Rui/.exec(row)?.[0]),
    ['Rui', 'Bia', 'Ana'],
  )
  await rows.filter({ hasText: 'Rui' }).click()
  await rows.filter({ hasText: 'Bia' }).waitFor({ state: 'detached' })
  await context.close()
}

/** What was unread is marked until the user answers, and a conversation is marked as unread again. */
async function unreadMark(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { phone: number } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  const says = (text: string) => post(`/simulator/phones/${ana.id}/messages`, { to: number, text })
  const log = page.getByRole('log')
  const mark = log.locator('.thread-unread')
  const row = page.locator('.inbox-rows button').filter({ hasText: 'Ana' })
  await says('primeira')
  await page.goto('/teste/conversas')
  await row.click()
  await mark.waitFor()
  await page.getByLabel('Mensagem', { exact: true }).fill('Olá')
  await page.keyboard.press('Enter')
  await mark.waitFor({ state: 'detached' })
  // A message that arrives while the conversation is open is read at once.
  await says('segunda')
  await log.getByText('segunda').waitFor()
  assert.equal(await mark.count(), 0)
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    const reads: string[] = []
    const count = (request: Request) => {
      if (request.url().endsWith('/messages/read')) reads.push(request.url())
    }
    page.on('request', count)
    await page.getByRole('button', { name: 'Atribuir (Sem responsável)' }).click()
    await page.getByRole('menuitem', { name: 'Marcar como não lida' }).click()
    await log.waitFor({ state: 'detached' })
    await row.getByText('1 não lida', { exact: true }).waitFor({ state: 'attached' })
    await says('terceira')
    await row.getByText('2 não lidas', { exact: true }).waitFor({ state: 'attached' })
    assert.deepEqual(reads, [])
    page.off('request', count)
    await row.click()
    await mark.waitFor()
    assert.match(
      (await log.innerText()).replaceAll('\n', ' '),
      /Não lidas daqui em diante (segunda|terceira)/,
    )
    await assertAccessible(page, `a conversation with unread messages at ${width}`)
    await row.getByText('2 não lidas', { exact: true }).waitFor({ state: 'detached' })
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  // Opened before, its newest page is still in the cache.
  await page.getByRole('link', { name: 'Conversas' }).first().click()
  for (let index = 0; index < 40; index++) await says(`pedido ${index}`)
  await row.getByText('40 não lidas', { exact: true }).waitFor({ state: 'attached' })
  await row.click()
  await mark.waitFor()
  const inView = (text: string) =>
    log.getByText(text, { exact: true }).evaluate((element) => {
      const frame = element.closest('.thread')?.getBoundingClientRect()
      const { top, bottom } = element.getBoundingClientRect()
      return frame !== undefined && top >= frame.top && bottom <= frame.bottom
    })
  assert.equal(await inView('pedido 0'), true)
  assert.equal(await inView('pedido 39'), false)
  await page.getByRole('button', { name: 'Novas mensagens' }).click()
  await waitUntil(page, "document.querySelector('.thread-new') === null")
  assert.equal(await inView('pedido 39'), true)
  assert.deepEqual(complaints, [])
  await context.close()
}

async function unreachable(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const { id } = await post('/simulator/phones', { name: 'Ana' })
  await post(`/simulator/phones/${id}/messages`, { to: phone, text: 'oi' })
  await page.route(/\/live$/, (route) => route.abort())
  await page.goto('/teste/conversas')
  await page.getByRole('button', { name: /Ana/ }).first().click()
  const field = page.getByLabel('Mensagem', { exact: true })
  await field.waitFor()
  await page.getByText('Reconectando').waitFor()
  const refused = page.waitForEvent('requestfailed', (one) => !one.url().endsWith('/live'))
  await page.route(/\/panel\/api\//, (route) => route.abort())
  // Without the live stream, the page asks again and again.
  await refused
  // One sentence for the whole page, and the reply field stays inside the window.
  assert.equal(await page.getByText('Tentar de novo').count(), 0)
  const { y = 0, height = 0 } = (await field.boundingBox()) ?? {}
  assert.ok(y > 0 && y + height <= (page.viewportSize()?.height ?? 0), `${y} + ${height}`)
  await context.close()
}

async function instances(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const first = await connectByApi(page, stage.origin)
  const second = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  await post(`/instances/${first.id}/messages`, { to: numberOf(1), text: 'da primeira' })
  await post(`/instances/${second.id}/messages`, { to: numberOf(2), text: 'da segunda' })
  await page.goto('/teste/conversas')
  for (const text of [/da primeira/, /da segunda/])
    await page.getByRole('button', { name: text }).waitFor()
  await page.getByRole('button', { name: /da segunda/ }).click()
  await page.getByRole('log').getByText('da segunda').waitFor()
  await page.getByLabel('Mensagem', { exact: true }).fill('resposta da segunda')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('resposta da segunda').waitFor()
  for (const [id, text] of [
    [first.id, 'da primeira'],
    [second.id, 'da segunda'],
  ] as const) {
    await page.getByLabel('Instância').selectOption(id)
    await page.getByRole('button', { name: new RegExp(text) }).waitFor()
    await page.goto('/teste/inicio')
    await page.getByRole('link', { name: 'Conversas' }).first().click()
    await page.getByRole('button', { name: new RegExp(text) }).waitFor()
  }
  await context.close()
}

async function hits(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  await post(`/instances/${id}/messages`, { to: numberOf(1), text: 'Seu panetone sai amanhã' })
  for (let count = 1; count <= 60; count++)
    await post(`/instances/${id}/messages`, { to: numberOf(1), text: `Aviso ${count}` })
  await page.goto('/teste/conversas')
  await page.getByLabel('Buscar pessoa, número ou mensagem').fill('AMANHA')
  const found = page.getByRole('region', { name: 'Em mensagens' })
  await found.getByText('amanhã', { exact: true }).waitFor()
  await assertAccessible(page, 'hits in messages')
  await found.getByRole('button').click()
  // It is older than the messages that a conversation shows first.
  const message = page.getByRole('log').getByText('Seu panetone sai amanhã')
  await message.waitFor()
  const frame = await page.getByRole('log').boundingBox()
  const box = await message.boundingBox()
  assert.ok(frame && box && box.y >= frame.y && box.y + box.height <= frame.y + frame.height)
  // The palette finds people and messages from any page.
  for (const [words, option] of [
    ['panetone', /Seu panetone sai amanhã/],
    ['98888-1019', /98888-1019/],
  ] as const) {
    await page.goto('/teste/inicio')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(words)
    await page.getByRole('option', { name: option }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/conversas\?conversa=/)
    await page.getByRole('log').waitFor()
  }
  await context.close()
}

describePanel('the inbox', (stage) => {
  it('keeps filters of conversations and contacts under a name', () => savedFilters(stage()))
  it('pins messages, and shows those that either side has pinned', () => pins(stage()))
  it('stars messages, lists the starred ones, and shows that someone keeps a message', () =>
    stars(stage()))
  it('shows all instances, or the one that was chosen last', () => instances(stage()))
  it('finds words in messages, and opens the conversation where they are', () => hits(stage()))
  it('is worked through by keyboard: from the reply to the list and back, with what is unread in the title', () =>
    byKeyboard(stage()))
  it('keeps an unread conversation in its view while it is open', () => unreadView(stage()))
  it('marks what was unread until the user answers, begins there, and marks a conversation as unread again', () =>
    unreadMark(stage()))
  it('says once that the server cannot be reached, and keeps the reply field inside the window', () =>
    unreachable(stage()))
})
