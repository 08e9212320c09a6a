// The thread of a conversation: its layout, scrolling and calls, and what it shows of the contact.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { numberOf, PICTURE } from '../kit/inbox.ts'
import { stubThread } from '../kit/long-thread.ts'
import { connectByApi, describePanel, poster, type Stage } from '../kit/panel.ts'

const DAY_MS = 24 * 3600_000

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

describePanel('a thread', (stage) => {
  it('fits the window of a desktop and of a phone, with the reply field inside', () =>
    fits(stage()))
  it('stays at the end while pictures load, and always shows the own message', () =>
    follows(stage()))
  it('separates days, and names them as messengers do', () => days(stage()))
  it('shows calls in the thread at their time, as soon as they ring and when they end', () =>
    calls(stage()))
  it('draws a long conversation in parts, without a gap, and stays where its reader is', () =>
    longThread(stage()))
  it('shows the picture and the text with which a contact and the number present themselves', () =>
    profiles(stage()))
  it('blocks a person after a question, and unblocks them', () => blocks(stage()))
  it('says from which advertisement a chat was opened, in the thread and beside it', () =>
    referrals(stage()))
})
