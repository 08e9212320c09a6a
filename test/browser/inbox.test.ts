// The inbox: a page that fits the window, follows what is new, and loses no draft.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { PNG } from 'pngjs'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { stubThread } from '../kit/long-thread.ts'
import { connectByApi, describePanel, poster, type Stage } from '../kit/panel.ts'

const DAY_MS = 24 * 3600_000
const PICTURE = PNG.sync.write(new PNG({ width: 600, height: 900 })).toString('base64')

const numberOf = (index: number) => `+55 11 98888-${1000 + index * 10 + 9}`
/** How far the thread is from its end, in pixels. */
const distanceToEnd = (page: Page) =>
  page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)
const waitForEnd = (page: Page) =>
  waitUntil(
    page,
    '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight <= 3)(document.querySelector("[role=log]"))',
  )
const scrollUp = (page: Page) =>
  page.getByRole('log').evaluate((log) => {
    log.scrollTop = 0
    log.dispatchEvent(new Event('scroll'))
  })

async function profiles(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id, phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const other = await post('/simulator/phones', { name: 'Ana' })
  await post(`/simulator/phones/${other.id}/messages`, { to: phone, text: 'oi' })
  // The contact chooses a picture and a text on their phone.
  await page.goto(`/teste/telefone?fone=${other.id}`)
  await page.getByText('Recado e foto').click()
  await page.getByLabel('Recado', { exact: true }).fill('Atendo à tarde')
  const picture = { name: 'ana.png', mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') }
  await page.getByLabel('Trocar a foto').setInputFiles(picture)
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('button', { name: 'Salvo' }).waitFor()
  // A page that is left at once takes its request with it.
  const replaced = page.waitForResponse(/\/new-device$/)
  await page.getByRole('button', { name: 'Trocar de aparelho' }).click()
  await replaced
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  await page.locator('.inbox-head .avatar img').waitFor()
  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  const details = page.getByRole('complementary', { name: 'Sobre a conversa' })
  await details.getByText('Atendo à tarde').waitFor()
  await details.locator('.avatar img').waitFor()
  await details.getByText(/^Código de segurança alterado: (agora|há \d+ segundos?)\./).waitFor()
  await assertAccessible(page, 'the details of a conversation with a picture')
  // The list shows what was read, without another question to the network.
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows .avatar img').waitFor()
  // The number presents itself, too.
  await page.goto(`/teste/instancias/${id}`)
  // People set the delays in seconds, and the API has them in milliseconds.
  const form = page.locator('details.card').filter({ hasText: 'Configurações da instância' })
  await form.locator('summary').click()
  await page.getByLabel('Intervalo mínimo entre envios (s)').fill('0.5')
  await page.getByLabel('Intervalo máximo entre envios (s)').fill('2')
  const changed = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await form.getByRole('button', { name: 'Salvar' }).click()
  const { settings } = await (await changed).json()
  assert.deepEqual([settings.sendDelayMinMs, settings.sendDelayMaxMs], [500, 2000])
  const card = page.getByRole('region', { name: 'Perfil no WhatsApp' })
  await card.getByLabel('Recado', { exact: true }).fill('Aberto até as 20h')
  await card.getByLabel('Trocar a foto').setInputFiles(picture)
  assert.equal(await card.locator('.avatar img').isVisible(), false)
  await card.getByRole('button', { name: 'Salvar' }).click()
  await card.getByRole('button', { name: 'Salvo' }).waitFor()
  await card.locator('.avatar img').waitFor()
  await assertAccessible(page, 'the profile of a number')
  await card.getByRole('button', { name: 'Remover a foto' }).click()
  await card.locator('.avatar img').waitFor({ state: 'hidden' })
  await page.reload()
  assert.equal(await card.getByLabel('Recado', { exact: true }).inputValue(), 'Aberto até as 20h')
  assert.deepEqual(complaints, [])
  await context.close()
}

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

async function fits(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (let index = 0; index < 14; index++) {
    const text = `Pedido ${index}: obrigado pela preferência, volte sempre!`
    await post(`/instances/${id}/messages`, { to: numberOf(index), text })
  }
  for (const [width, height, least] of [
    [1280, 800, 8],
    [390, 844, 6],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/teste/conversas')
    const rows = page.locator('.inbox-rows button')
    await rows.nth(least).waitFor()
    const list = await page.locator('.inbox-rows').boundingBox()
    assert.ok(list && list.height >= least * 64, `${width}: ${list?.height} px of conversations`)
    await rows.nth(3).click()
    await page.getByRole('log').getByText('obrigado').waitFor()
    const field = await page.getByLabel('Mensagem', { exact: true }).boundingBox()
    assert.ok(field && field.y + field.height <= height, `${width}: the reply field is below`)
    const scrolls = await page.evaluate<boolean>(
      'document.documentElement.scrollHeight > innerHeight + 1',
    )
    assert.ok(!scrolls, `${width}: the document scrolls`)
    await assertAccessible(page, `the inbox at ${width}`)
  }
  // On a narrow screen the conversation fills the window, and the way back leads to the list.
  assert.equal(await page.getByRole('button', { name: 'Menu' }).isVisible(), false)
  await page.getByRole('button', { name: 'Voltar' }).click()
  await page.locator('.inbox-rows button').first().waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function follows(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const send = (text: string) => post(`/instances/${id}/messages`, { to: numberOf(1), text })
  for (let index = 0; index < 30; index++) await send(`Linha ${index}`)
  await post(`/instances/${id}/messages/media`, {
    to: numberOf(1),
    type: 'image',
    media: { base64: PICTURE, mimeType: 'image/png' },
  })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const log = page.getByRole('log')
  await waitUntil(page, 'document.querySelector("[role=log] img")?.naturalHeight > 0')
  await waitForEnd(page)
  // A scroll event that is late sees messages that have grown since, and does not leave the end.
  await page.evaluate(`{
    [...document.querySelectorAll('.bubbles > li')].at(-1).style.paddingBottom = '400px'
    document.querySelector('[role=log]').dispatchEvent(new Event('scroll'))
  }`)
  await waitForEnd(page)
  // New messages do not move what is being read; a button reports them.
  await scrollUp(page)
  await send('Chegou enquanto isso')
  const button = page.getByRole('button', { name: 'Novas mensagens' })
  await button.waitFor()
  assert.ok((await distanceToEnd(page)) > 200)
  await button.click()
  await waitForEnd(page)
  await button.waitFor({ state: 'detached' })
  await scrollUp(page)
  // The user's own message is always shown.
  await page.getByLabel('Mensagem', { exact: true }).fill('Minha resposta')
  await page.keyboard.press('Enter')
  await log.getByText('Minha resposta').waitFor()
  await waitForEnd(page)
  await context.close()
}

async function formats(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const text =
    '*Pronto* às _15h_, ~R$ 200~ por R$ 180: https://padaria.com.br/a_b_c. <b>2*3*4</b> foto_do_bolo_1.png'
  await poster(stage, page)(`/instances/${id}/messages`, { to: numberOf(1), text })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const shown = page.getByRole('log').locator('.message-text')
  await shown.waitFor()
  const html = await shown.innerHTML()
  for (const part of [
    '<strong>Pronto</strong>',
    '<em>15h</em>',
    '<s>R$ 200</s>',
    '>https://padaria.com.br/a_b_c</a>.',
    '&lt;b&gt;2*3*4&lt;/b&gt; foto_do_bolo_1.png',
  ])
    assert.ok(html.includes(part), html)
  await context.close()
}

/** Opens the inbox with two conversations, whose messages are “Para Ana” and “Para Bia”. */
async function twoChats(stage: Stage) {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  await post(`/instances/${id}/messages`, { to: numberOf(1), text: 'Para Ana' })
  await post(`/instances/${id}/messages`, { to: numberOf(2), text: 'Para Bia' })
  await page.goto('/teste/conversas')
  const field = page.getByLabel('Mensagem', { exact: true })
  const log = page.getByRole('log')
  const open = async (text: string) => {
    await page.getByRole('button', { name: new RegExp(text) }).click()
    await log.getByText(text).waitFor()
  }
  return { page, context, field, log, open }
}

async function drafts(stage: Stage): Promise<void> {
  const { page, context, field, log, open } = await twoChats(stage)
  await open('Para Ana')
  await field.fill('Ainda não termin')
  await open('Para Bia')
  assert.equal(await field.inputValue(), '')
  await open('Para Ana')
  assert.equal(await field.inputValue(), 'Ainda não termin')
  await page.reload()
  await field.waitFor()
  assert.equal(await field.inputValue(), 'Ainda não termin')
  await field.fill('Ainda não terminei')
  await page.keyboard.press('Enter')
  await log.getByText('Ainda não terminei').waitFor()
  await page.reload()
  await field.waitFor()
  assert.equal(await field.inputValue(), '')
  await context.close()
}

/** Texts are shown while they are being sent, one after another; what else was begun stays with its conversation. */
async function waitingTexts(stage: Stage): Promise<void> {
  const { page, context, field, log, open } = await twoChats(stage)
  await open('Para Ana')
  const answer = Promise.withResolvers<void>()
  const bodies: { text: string; quotedWaMessageId?: string }[] = []
  await page.route('**/v1/instances/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    bodies.push(route.request().postDataJSON() as (typeof bodies)[number])
    await answer.promise
    return route.continue()
  })
  await log.getByText('Para Ana').hover()
  await log.getByRole('button', { name: 'Responder' }).click()
  for (const said of ['Um', 'Dois', 'Três']) {
    await field.fill(said)
    await page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), '')
  }
  const waiting = page.getByRole('list', { name: 'enviando' }).getByRole('listitem')
  await waiting.nth(2).waitFor()
  assert.deepEqual(
    (await waiting.allInnerTexts()).map((one) => one.trim()),
    ['Um', 'Dois', 'Três'],
  )
  answer.resolve()
  for (const said of ['Um', 'Dois', 'Três']) await log.getByText(said, { exact: true }).waitFor()
  await waiting.first().waitFor({ state: 'detached' })
  assert.deepEqual(
    bodies.map(({ text, quotedWaMessageId }) => [text, quotedWaMessageId !== undefined]),
    [
      ['Um', true],
      ['Dois', false],
      ['Três', false],
    ],
  )
  await page.unroute('**/v1/instances/*/messages')

  await log.getByText('Dois', { exact: true }).hover()
  await log.getByRole('button', { name: 'Responder' }).nth(2).click()
  const quote = page.locator('.reply').getByText('Dois')
  await quote.waitFor()
  await page.locator('.reply input[type=file]').setInputFiles({
    name: 'tabela.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4'),
  })
  await page.getByText('tabela.pdf').waitFor()
  await open('Para Bia')
  assert.equal(await page.getByText('tabela.pdf').count(), 0)
  await page.getByRole('button', { name: /Três/ }).click()
  await log.getByText('Três', { exact: true }).waitFor()
  await page.locator('.reply').getByText('tabela.pdf').waitFor()
  await quote.waitFor()
  await page.getByRole('button', { name: 'Enviar', exact: true }).click()
  await log.getByText('tabela.pdf').waitFor()
  await quote.waitFor({ state: 'detached' })

  // A reload loses files, which cannot be stored, but keeps every text whose request has not begun.
  await page.locator('.reply input[type=file]').setInputFiles({
    name: 'outra.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4'),
  })
  await page.locator('.reply').getByText('outra.pdf').waitFor()
  await page.reload()
  await field.waitFor()
  assert.equal(await page.locator('.reply').getByText('outra.pdf').count(), 0)
  await page.route('**/v1/instances/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    return new Promise<void>(() => {})
  })
  for (const said of ['Quatro', 'Cinco', 'Seis']) {
    await field.fill(said)
    await page.keyboard.press('Enter')
  }
  await waiting.nth(2).waitFor()
  await page.reload()
  await field.waitFor()
  assert.match(await field.inputValue(), /^(?:Quatro\n)?Cinco\nSeis$/)
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

async function pasted(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await poster(stage, page)(`/instances/${id}/messages`, { to: numberOf(1), text: 'oi' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  await page.getByLabel('Mensagem', { exact: true }).waitFor()
  await page.evaluate(
    `(async () => {
      const bytes = Uint8Array.from(atob('${PICTURE}'), (one) => one.charCodeAt(0))
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([bytes], 'foto.png', { type: 'image/png' }))
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.querySelector('.reply textarea').dispatchEvent(event)
    })()`,
  )
  await page.getByText('foto.png').waitFor()
  await page.getByPlaceholder('Legenda').fill('Como ficou')
  await page.getByRole('button', { name: 'Enviar', exact: true }).click()
  await page.getByRole('log').locator('img').waitFor()
  await page.getByRole('log').getByText('Como ficou').waitFor()

  // Dropped anywhere in the conversation, files wait for their caption; each can be taken away again.
  await page.evaluate(
    `(() => {
      const dataTransfer = new DataTransfer()
      for (const name of ['tabela.pdf', 'doces.pdf', 'bolos.pdf'])
        dataTransfer.items.add(new File(['%PDF-1.4'], name, { type: 'application/pdf' }))
      const thread = document.querySelector('[role=log]')
      for (const type of ['dragover', 'drop'])
        thread.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    })()`,
  )
  await page.getByText('tabela.pdf').waitFor()
  await assertAccessible(page, 'chosen files')
  await page.getByRole('button', { name: 'Remover arquivo: tabela.pdf' }).click()
  await page.getByText('tabela.pdf').waitFor({ state: 'detached' })
  await page.getByPlaceholder('Legenda').fill('Nossos cardápios')
  await page.getByRole('button', { name: 'Enviar', exact: true }).click()
  const bubbles = page.getByRole('log').locator('li[data-mine=true]')
  await bubbles.filter({ hasText: 'doces.pdf' }).getByText('Nossos cardápios').waitFor()
  await bubbles.filter({ hasText: 'bolos.pdf' }).waitFor()
  await page.locator('.attachments').waitFor({ state: 'detached' })
  assert.equal(await bubbles.filter({ hasText: 'Nossos cardápios' }).count(), 1)
  await context.close()
}

async function days(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await poster(stage, page)(`/instances/${id}/messages`, { to: numberOf(1), text: 'Bom dia' })
  const row = page.locator('.inbox-rows button').first()
  for (const [ago, word] of [
    [0, 'hoje'],
    [1, 'ontem'],
  ] as const) {
    await page.clock.setFixedTime(Date.now() + ago * DAY_MS)
    await page.goto('/teste/conversas')
    await row.click()
    await page.locator('.thread-day').getByText(word).waitFor()
    if (ago === 0) assert.match(await row.innerText(), /\d\d:\d\d/)
    else assert.match(await row.innerText(), /ontem/)
    assert.match(await page.getByRole('log').locator('.bubble-meta').innerText(), /\d\d:\d\d/)
  }
  await context.close()
}

async function calls(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  await post(`/simulator/phones/${ana.id}/messages`, { to: phone, text: 'Posso ligar?' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const log = page.getByRole('log')
  await log.getByText('Posso ligar?').waitFor()
  // It appears while the thread is open, after the message before it.
  await post(`/simulator/phones/${ana.id}/calls`, { to: phone, video: true })
  await log.getByText(/Chamada de vídeo · tocando/).waitFor()
  await post(`/simulator/phones/${ana.id}/messages`, { to: phone, text: 'Liguei agora' })
  await log.getByText('Liguei agora').waitFor()
  const texts = (await log.innerText()).replaceAll('\n', ' ')
  assert.match(texts, /Posso ligar\?.*Chamada de vídeo · tocando \d\d:\d\d.*Liguei agora/)
  await page.getByRole('link', { name: 'Chamadas' }).click()
  await page.getByRole('button', { name: 'Recusar' }).click()
  await page.getByText('recusada').waitFor()
  await page.goBack()
  await log.getByText(/Chamada de vídeo · recusada/).waitFor()
  await assertAccessible(page, 'a thread with a call')
  assert.deepEqual(complaints, [])
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

async function voice(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await poster(stage, page)(`/instances/${id}/messages`, { to: numberOf(1), text: 'Oi' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const record = page.getByRole('button', { name: 'Gravar áudio' })
  await record.click()
  await page.getByRole('button', { name: 'Descartar gravação' }).click()
  await record.click()
  await page.getByRole('timer').getByText('0:02').waitFor()
  await page.getByRole('button', { name: 'Enviar áudio' }).click()
  const player = page.getByRole('log').getByRole('group', { name: 'audio.ogg' })
  await player.waitFor()
  // The browser of the test records beeps, so that the bars differ.
  await waitUntil(
    page,
    `new Set([...document.querySelectorAll('.waveform rect')].map((bar) => bar.getAttribute('height'))).size > 2`,
  )
  await player.getByRole('button', { name: 'Velocidade: 1×' }).click()
  await player.getByRole('button', { name: 'Velocidade: 1,5×' }).waitFor()
  await player.getByRole('button', { name: 'Ouvir' }).click()
  await waitUntil(page, `document.querySelector('.waveform [data-played=true]') !== null`)
  await player.getByRole('slider', { name: 'Posição no áudio' }).waitFor()
  await assertAccessible(page, 'a voice note')
  const sent = await page.request.get(
    `${stage.origin}/panel/api/test/v1/instances/${id}/messages?type=audio`,
  )
  const { items } = await sent.json()
  assert.equal(items.length, 1, 'the discarded recording is not sent')
  const { mimeType, voice: isVoice, durationSeconds } = items[0].media
  assert.match(mimeType, /^audio\/(ogg|opus)/)
  assert.ok(isVoice && durationSeconds >= 1 && durationSeconds <= 10, `${durationSeconds} s`)
  await context.close()
}

async function emoji(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await poster(stage, page)(`/instances/${id}/messages`, { to: numberOf(1), text: 'Oi' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const field = page.getByLabel('Mensagem', { exact: true })
  await field.fill('Parabéns!')
  await field.press('Home')
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  await page
    .getByRole('gridcell', { name: /rosto risonho/ })
    .first()
    .waitFor()
  await assertAccessible(page, 'the emoji')
  await page.getByLabel('Buscar emoji').fill('bolo de aniv')
  await page
    .getByRole('gridcell', { name: 'rosto risonho', exact: true })
    .waitFor({ state: 'detached' })
  await page.getByRole('gridcell', { name: 'bolo de aniversário' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  assert.equal(await field.inputValue(), '🎂Parabéns!')
  await context.close()
}

/** Scrolls a thread and lets the browser paint twice: what comes near the window is drawn in the frame after it. */
const scrollBy = (page: Page, pixels: number) =>
  page.evaluate(`(async () => {
    document.querySelector('.thread').scrollBy(0, ${pixels})
    for (let paint = 0; paint < 2; paint++) await new Promise((done) => requestAnimationFrame(done))
  })()`)
/** The numbers of the messages in the page, from top to bottom. */
const numbersIn = (page: Page) =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll('.thread .bubbles > li .message-text')].map((one) => Number(one.textContent.split(' ')[1]))`,
  )

/**
 * The first message that the reader sees, and where. The height that is scrolled past is an estimate that is corrected
 * while messages are drawn, and says less.
 */
const placeIn = (page: Page) =>
  page.evaluate<[number, number]>(`(() => {
    const top = document.querySelector('.thread').getBoundingClientRect().top
    for (const one of document.querySelectorAll('.thread .bubbles > li:has(.message-text)')) {
      const offset = Math.round(one.getBoundingClientRect().top - top)
      if (offset >= 0) return [Number(one.querySelector('.message-text').textContent.split(' ')[1]), offset]
    }
    return [-1, 0]
  })()`)

async function longThread(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const sent = await post(`/instances/${id}/messages`, { to: numberOf(1), text: 'Oi' })
  const sample = await page.request.get(
    `${stage.origin}/panel/api/test/v1/instances/${id}/messages/${sent.id}`,
  )
  let count = 1000
  const message = (await sample.json()) as Record<string, unknown>
  await stubThread(page, message, () => count)
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  const log = page.getByRole('log')
  await log.getByText('Recado 999', { exact: false }).waitFor()

  // Up to the first message: every message is met once, in order, and few are in the page.
  const met = new Set<number>()
  for (let turn = 0; !met.has(0); turn++) {
    assert.ok(turn < 3000, `stuck at ${Math.min(...met)}`)
    const numbers = await numbersIn(page)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(numbers).size, numbers.length, 'no message is shown twice')
    assert.ok(numbers.length < 600, `${numbers.length} bubbles`)
    for (const number of numbers) met.add(number)
    await scrollBy(page, -400)
  }
  assert.equal(met.size, 1000)
  await assertAccessible(page, 'a long thread')
  assert.equal(await page.getByRole('button', { name: 'Mensagens anteriores' }).count(), 0)

  // More messages than the newest page keeps arrive while the reader is far from the end, a hundred at a time.
  const place = await placeIn(page)
  for (let arrival = 0; arrival < 3; arrival++) {
    count += 90
    // The response that has them: one that was asked for before may come first, and more than the page holds at once
    // begin the thread again.
    const newest = `msg_${count - 1}`
    const reload = page.waitForResponse(
      async (response) =>
        /messages\?.*since=/.test(response.url()) && (await response.text()).includes(newest),
    )
    await post(`/instances/${id}/messages`, { to: numberOf(1), text: 'Oi' })
    await reload
    await page.getByRole('button', { name: 'Novas mensagens' }).waitFor()
  }
  assert.deepEqual(await placeIn(page), place)
  // A change of messages that are not shown appears once they are.
  message['editedAt'] = '2026-11-25T12:00:00.000Z'
  const changed = page.waitForResponse(/messages\?.*since=/)
  await post(`/instances/${id}/messages`, { to: numberOf(1), text: 'Oi' })
  await changed
  // Down to the end again, without a gap.
  met.clear()
  for (let turn = 0; !met.has(count - 1); turn++) {
    assert.ok(turn < 3000, `stuck at ${Math.max(...met)}`)
    for (const number of await numbersIn(page)) met.add(number)
    await scrollBy(page, 400)
  }
  assert.equal(met.size, count)
  const unedited = `[...document.querySelectorAll('.thread .bubbles > li:has(.message-text)')].filter((one) => !one.textContent.includes('editada')).length`
  await waitUntil(page, `${unedited} === 0`)
  assert.deepEqual(complaints, [])
  await context.close()
}

/** A message goes to another conversation, which opens and says that it was forwarded. */
async function forwards(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  await post(`/instances/${id}/messages`, { to: '5511988887777', text: 'Abrimos às nove' })
  await post(`/instances/${id}/messages`, { to: '5511988886666', text: 'Oi' })
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/teste/conversas')
    await page.locator('.inbox-rows button').filter({ hasText: '98888-7777' }).click()
    const log = page.getByRole('log')
    const bubble = log.locator('li').filter({ hasText: 'Abrimos às nove' })
    await bubble.hover()
    await bubble.getByRole('button', { name: 'Ações' }).click()
    await page.getByRole('menuitem', { name: 'Encaminhar' }).click()
    const dialog = page.getByRole('dialog', { name: 'Encaminhar' })
    const chosen = (name: string) => dialog.getByRole('checkbox', { name })
    const confirm = dialog.getByRole('button', { name: 'Encaminhar' })
    assert.equal(await confirm.isDisabled(), true)
    await assertAccessible(page, `the choice of a conversation at ${width}`)
    await dialog.getByRole('searchbox', { name: 'Buscar conversa' }).fill('88886666')
    await chosen('98888-7777').waitFor({ state: 'detached' })
    await chosen('98888-6666').check()
    await dialog.getByText('Para +55 (11) 98888-6666', { exact: true }).waitFor()
    await confirm.click()
    await dialog.waitFor({ state: 'detached' })
    await log.getByText('Encaminhada').first().waitFor()
    await log.getByText('Abrimos às nove').first().waitFor()
    await assertAccessible(page, `a forwarded message at ${width}`)
  }
  // To several at once; one that fails stays chosen, and the others are not sent it again.
  const rows = page.locator('.inbox-rows button')
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const end of ['1', '2', '3', '4'])
    await post(`/instances/${id}/messages`, { to: `551198888000${end}`, text: 'Oi' })
  await page.goto('/teste/conversas')
  await rows.filter({ hasText: '98888-7777' }).click()
  const bubble = page.getByRole('log').locator('li').filter({ hasText: 'Abrimos às nove' })
  await bubble.hover()
  await bubble.getByRole('button', { name: 'Ações' }).click()
  await page.getByRole('menuitem', { name: 'Encaminhar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Encaminhar' })
  const boxes = ['0001', '0002', '0003', '0004', '6666'].map((end) =>
    dialog.getByRole('checkbox', { name: `98888-${end}` }),
  )
  for (const box of boxes) await box.check()
  assert.equal(await dialog.getByRole('checkbox', { name: '98888-7777' }).isDisabled(), true)
  const requests: string[] = []
  await page.route('**/forward', (route) => {
    requests.push(String(route.request().postDataJSON().conversationId))
    return requests.length === 3 ? route.abort() : route.fallback()
  })
  await dialog.getByRole('button', { name: 'Encaminhar' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.deepEqual(await Promise.all(boxes.map((box) => box.isChecked())), [
    false,
    false,
    true,
    true,
    true,
  ])
  await dialog.getByRole('button', { name: 'Encaminhar' }).click()
  await page.getByRole('dialog', { name: 'Mensagem encaminhada para 5 conversas' }).waitFor()
  assert.equal(requests.length, 6)
  assert.equal(new Set(requests).size, 5)
  await page.unroute('**/forward')
  assert.deepEqual(complaints, ['Failed to load resource: net::ERR_FAILED'])
  await context.close()
}

/** What is typed beside the text of a reply is lost only after a question, and Back closes the details first. */
async function unsaved(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { phone: number } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (const name of ['Ana', 'Bia']) {
    const { id } = await post('/simulator/phones', { name })
    await post(`/simulator/phones/${id}/messages`, { to: number, text: 'Oi' })
  }
  const rows = page.locator('.inbox-rows button')
  const details = page.getByRole('complementary', { name: 'Sobre a conversa' })
  const about = page.getByRole('button', { name: 'Sobre a conversa' })
  const question = page.getByRole('dialog', { name: 'Descartar o que você preencheu?' })
  const stay = () => question.getByRole('button', { name: 'Continuar' }).click()
  await page.goto('/teste/conversas')
  await rows.filter({ hasText: 'Ana' }).click()
  await about.click()
  const name = details.getByLabel('Nome', { exact: true })
  await name.fill('Ana Souza')
  await details.getByRole('button', { name: 'Fechar' }).click()
  await stay()
  assert.equal(await name.inputValue(), 'Ana Souza')
  await page.goBack()
  await question.getByRole('button', { name: 'Descartar' }).click()
  await details.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Ana' }).waitFor()

  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Enquete' }).click()
  await page.getByLabel('Pergunta').fill('Que dia?')
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Cancelar' }).click(),
  ]) {
    await leave()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Pergunta').inputValue(), 'Que dia?')
  }
  await rows.filter({ hasText: 'Bia' }).click()
  await stay()
  assert.equal(await page.getByLabel('Pergunta').inputValue(), 'Que dia?')
  await rows.filter({ hasText: 'Bia' }).click()
  await question.getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('heading', { name: 'Bia' }).waitFor()

  await page.setViewportSize({ width: 390, height: 844 })
  await about.click()
  await details.waitFor()
  await page.goBack()
  await details.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Bia' }).waitFor()
  await about.click()
  await details.getByRole('button', { name: 'Fechar' }).click()
  await details.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'Bia' }).waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await context.close()
}

/** A person is blocked after a question, and unblocked. */
async function blocks(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { phone: number } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  await post(`/simulator/phones/${ana.id}/messages`, { to: number, text: 'Oi' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().click()
  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  const details = page.getByRole('complementary', { name: 'Sobre a conversa' })
  await details.getByRole('button', { name: 'Bloquear contato' }).click()
  const dialog = page.getByRole('dialog', { name: 'Bloquear contato' })
  await dialog.getByText('Bloquear Ana?').waitFor()
  await assertAccessible(page, 'the question before blocking')
  await dialog.getByRole('button', { name: 'Bloquear contato' }).click()
  await details.getByRole('button', { name: 'Desbloquear contato' }).click()
  await details.getByRole('button', { name: 'Bloquear contato', exact: true }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

/** A chat that was opened from an advertisement. */
async function referrals(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { phone: number } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  const write = (text: string, more: object) =>
    post(`/simulator/phones/${ana.id}/messages`, { to: number, text, ...more })
  const sourceUrl = 'https://fb.me/x'
  const headline = 'Bolos de aniversário'
  await write('Oi, vi o anúncio', { referral: { sourceType: 'ad', headline, sourceUrl } })
  await write('E este?', { referral: { sourceType: 'post', headline: 'Natal' } })
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/teste/conversas')
    await page.locator('.inbox-rows button').first().click()
    const log = page.getByRole('log')
    const link = log.getByRole('link', { name: headline })
    await link.waitFor()
    assert.equal(await link.getAttribute('href'), sourceUrl)
    await log.getByText('Veio de uma publicação: Natal').waitFor()
    await assertAccessible(page, `a chat from an advertisement at ${width}`)
    // The first one stays with the conversation.
    await page.getByRole('button', { name: 'Sobre a conversa' }).click()
    const details = page.getByRole('complementary', { name: 'Sobre a conversa' })
    await details.getByText('Veio de um anúncio').waitFor()
    await details.getByRole('link', { name: headline }).waitFor()
  }
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('the inbox', (stage) => {
  it('pins messages, and shows those that either side has pinned', () => pins(stage()))
  it('stars messages, lists the starred ones, and shows that someone keeps a message', () =>
    stars(stage()))
  it('keeps filters of conversations and contacts under a name', () => savedFilters(stage()))
  it('fits the window of a desktop and of a phone, with the reply field inside', () =>
    fits(stage()))
  it('stays at the end while pictures load, and always shows the own message', () =>
    follows(stage()))
  it('formats marks and links as messengers do, and nothing else', () => formats(stage()))
  it('keeps the draft of each conversation, also across a reload', () => drafts(stage()))
  it('shows texts while they are being sent, in order, and keeps files and the quote of each conversation', () =>
    waitingTexts(stage()))
  it('is worked through by keyboard: from the reply to the list and back, with what is unread in the title', () =>
    byKeyboard(stage()))
  it('keeps an unread conversation in its view while it is open', () => unreadView(stage()))
  it('marks what was unread until the user answers, begins there, and marks a conversation as unread again', () =>
    unreadMark(stage()))
  it('says once that the server cannot be reached, and keeps the reply field inside the window', () =>
    unreachable(stage()))
  it('sends a picture that is pasted into the reply field', () => pasted(stage()))
  it('separates days, and names them as messengers do', () => days(stage()))
  it('shows calls in the thread at their time, as soon as they ring and when they end', () =>
    calls(stage()))
  it('shows all instances, or the one that was chosen last', () => instances(stage()))
  it('records a voice note in the format of WhatsApp, or discards it', () => voice(stage()))
  it('offers all emoji by name, and writes them at the cursor', () => emoji(stage()))
  it('draws a long conversation in parts, without a gap, and stays where its reader is', () =>
    longThread(stage()))
  it('shows the picture and the text with which a contact and the number present themselves', () =>
    profiles(stage()))
  it('forwards a message to the conversations that are chosen, and opens it if it is one', () =>
    forwards(stage()))
  it('asks before it loses what is typed beside the text of a reply, and closes the details on Back', () =>
    unsaved(stage()))
  it('blocks a person after a question, and unblocks them', () => blocks(stage()))
  it('says from which advertisement a chat was opened, in the thread and beside it', () =>
    referrals(stage()))
  it('finds words in messages, and opens the conversation where they are', () => hits(stage()))
})
