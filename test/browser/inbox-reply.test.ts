// What is written in a conversation: nothing that is typed is lost.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { numberOf, PICTURE } from '../kit/inbox.ts'
import { connectByApi, describePanel, poster, type Stage } from '../kit/panel.ts'

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

describePanel('a reply', (stage) => {
  it('formats marks and links as messengers do, and nothing else', () => formats(stage()))
  it('keeps the draft of each conversation, also across a reload', () => drafts(stage()))
  it('shows texts while they are being sent, in order, and keeps files and the quote of each conversation', () =>
    waitingTexts(stage()))
  it('sends a picture that is pasted into the reply field', () => pasted(stage()))
  it('records a voice note in the format of WhatsApp, or discards it', () => voice(stage()))
  it('offers all emoji by name, and writes them at the cursor', () => emoji(stage()))
  it('forwards a message to the conversations that are chosen, and opens it if it is one', () =>
    forwards(stage()))
  it('asks before it loses what is typed beside the text of a reply, and closes the details on Back', () =>
    unsaved(stage()))
})
