// A team shares the inbox: who answers, what is done, notes, quick replies and scheduled messages.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../kit/browser.ts'
import { connectByApi, describePanel, type Stage } from '../kit/panel.ts'
import { fillRealistically } from '../kit/realistic.ts'

const log = (page: Page) => page.getByRole('log')
const field = (page: Page) => page.getByLabel('Mensagem', { exact: true })
const rows = (page: Page) => page.locator('.inbox-rows button')

const person = (page: Page) => rows(page).locator('strong', { hasText: 'Ana Beatriz' })

async function openConversation(stage: Stage) {
  const opened = await stage.enter()
  const { page } = opened
  const { conversationId, instanceId } = await fillRealistically(page, stage)
  await page.goto(`/teste/conversas?conversa=${conversationId}`)
  await log(page).getByText('cobertura de').waitFor()
  return { ...opened, instanceId }
}

async function assignment(stage: Stage): Promise<void> {
  const { page, context } = await openConversation(stage)
  await page.getByRole('button', { name: 'Atribuir (Sem responsável)' }).click()
  await assertAccessible(page, 'the menu of a conversation')
  await page.getByRole('menuitemcheckbox', { name: 'Eu', exact: true }).click()
  await page.getByRole('button', { name: 'Responsável: bia-1', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Minhas' }).click()
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await person(page).waitFor()
  await page.getByRole('button', { name: 'Mais filtros' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Sem responsável' }).click()
  await person(page).waitFor({ state: 'detached' })

  // A failure is shown in a toast; the head of the conversation stays as it is.
  const changes = '**/v1/instances/*/conversations/*'
  await page.route(changes, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  await page.getByRole('button', { name: 'Concluir' }).click()
  await page.getByRole('dialog', { name: /conex|conect|servidor/i }).waitFor()
  await page.getByRole('heading', { name: /^Ana Beatriz/ }).waitFor()
  assert.equal(await page.locator('main [role=alert]').count(), 0)
  await page.unroute(changes)

  // Done, it leaves nothing to do; a message of its contact opens it again.
  await page.getByRole('button', { name: 'Concluir' }).click()
  await page.getByRole('button', { name: 'Reabrir' }).click()
  await page.getByRole('button', { name: 'Abertas' }).click()
  await person(page).waitFor()
  await page.getByRole('button', { name: 'Concluir' }).click()
  // The next conversation opens, and the toast brings this one back.
  await person(page).waitFor({ state: 'detached' })
  // The first one is that of before.
  const toast = page.getByRole('dialog', { name: /^Conversa com Ana .* concluída/ }).last()
  await toast.waitFor()
  await assertAccessible(page, 'a toast')
  await toast.getByRole('button', { name: 'Desfazer' }).click()
  await person(page).click()
  await page.getByRole('button', { name: 'Concluir' }).click()
  await person(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Mais filtros' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Concluídas' }).click()
  await person(page).waitFor()
  await context.close()
}

async function notes(stage: Stage): Promise<void> {
  const { page, context } = await openConversation(stage)
  await log(page).getByText('Cliente antiga').waitFor()
  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Nota interna' }).click()
  // What is typed next is written where it was chosen.
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type('Ligar na quinta.')
  const written = page.getByLabel('Nota interna', { exact: true })
  assert.equal(await written.inputValue(), 'Ligar na quinta.')
  await page.keyboard.press('Enter')
  const note = log(page).locator('li.note', { hasText: 'Ligar na quinta.' })
  await note.waitFor()
  await assertAccessible(page, 'a note')
  // The field writes to the contact again, who has not received the note.
  await field(page).waitFor()
  await note.hover()
  await note.getByRole('button', { name: 'Excluir nota' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Excluir nota' }).click()
  await note.waitFor({ state: 'detached' })

  // An unfinished note stays a note, and is not what the contact is written.
  await field(page).fill('Bom dia!')
  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Nota interna' }).click()
  const noteField = page.getByLabel('Nota interna', { exact: true })
  assert.equal(await noteField.inputValue(), '')
  await noteField.fill('Não fiar.')
  await page.getByRole('button', { name: 'Cancelar' }).click()
  assert.equal(await field(page).inputValue(), 'Bom dia!')
  await field(page).fill('')
  await page.reload()
  await noteField.waitFor()
  assert.equal(await noteField.inputValue(), 'Não fiar.')
  await page.getByRole('button', { name: 'Cancelar' }).click()
  assert.equal(await field(page).inputValue(), '')
  await context.close()
}

/** Sends slowly, and only once `answer` is called, or refuses. */
async function holdSends(page: Page) {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<'send' | 'refuse'>()
  await page.route('**/v1/instances/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    asked.resolve()
    if ((await answer.promise) === 'send') return route.continue()
    return route.abort()
  })
  return { asked: asked.promise, answer: answer.resolve }
}

async function slowSends(stage: Stage): Promise<void> {
  const { page, context } = await openConversation(stage)
  const slow = await holdSends(page)
  await field(page).fill('Já verifico.')
  await page.keyboard.press('Enter')
  await slow.asked
  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Nota interna' }).click()
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type('Cliente difícil')
  slow.answer('send')
  await log(page).getByText('Já verifico.').waitFor()
  // The note is still being written once the message has been sent.
  await page.waitForLoadState('networkidle')
  await page.keyboard.type(', com calma.')
  const note = page.getByLabel('Nota interna', { exact: true })
  assert.equal(await note.inputValue(), 'Cliente difícil, com calma.')
  await note.fill('')
  await page.getByRole('button', { name: 'Cancelar' }).click()
  assert.equal(await field(page).inputValue(), '')
  await page.unroute('**/v1/instances/*/messages')

  const refused = await holdSends(page)
  await field(page).fill('Pode ser amanhã?')
  await page.keyboard.press('Enter')
  await refused.asked
  await field(page).fill('Outra coisa')
  // Another conversation is opened before the first message is refused.
  await rows(page).nth(1).click()
  await page.getByRole('heading', { name: /./, level: 2 }).first().waitFor()
  refused.answer('refuse')
  const toast = page.getByRole('dialog', { name: /^Não foi enviado a Ana/ })
  await toast.waitFor()
  await person(page).click()
  await field(page).waitFor()
  assert.equal(await field(page).inputValue(), 'Pode ser amanhã?\nOutra coisa')
  await context.close()
}

/** A note of a key mentions the user, whom the bell tells until they open the conversation. */
async function mentions(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { conversationId, instanceId } = await fillRealistically(page, stage)
  const headers = { 'x-recado-panel': '1' }
  const { items } = (await (await page.request.get('/panel/api/members', { headers })).json()) as {
    items: { id: string }[]
  }
  const made = await page.request.post('/panel/api/test/v1/keys', {
    headers,
    data: { name: 'CRM' },
  })
  const { key } = (await made.json()) as { key: string }
  await page.goto('/teste/inicio')
  await page.getByRole('button', { name: 'Avisos' }).waitFor()
  const noted = await stage.browser.newContext()
  const written = await noted.request.post(
    `${stage.origin}/v1/instances/${instanceId}/conversations/${conversationId}/notes`,
    {
      headers: { authorization: `Bearer ${key}`, host: 'sandbox.localhost' },
      data: { text: 'Confira o prazo, @bia-1.', mentions: items.map(({ id }) => id) },
    },
  )
  assert.equal(written.status(), 201)
  await noted.close()
  await page.getByRole('button', { name: /^Avisos: \d+ esperando/ }).click()
  const mention = page.getByRole('link', { name: /CRM mencionou você/ })
  await mention.waitFor()
  await assertAccessible(page, 'a mention')
  await mention.click()
  await log(page).getByText('cobertura de').waitFor()
  await page.getByRole('button', { name: /^Avisos/ }).click()
  await page.getByRole('link', { name: /mencionou você/ }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Nota interna' }).click()
  const note = page.getByLabel('Nota interna', { exact: true })
  await note.pressSequentially('Feito, @b')
  await page.getByRole('listbox', { name: 'Pessoas da equipe' }).waitFor()
  await assertAccessible(page, 'the members to mention')
  await page.keyboard.press('Enter')
  await note.pressSequentially('obrigada')
  await page.keyboard.press('Enter')
  const saved = log(page).locator('li.note', { hasText: 'obrigada' })
  await saved.locator('strong', { hasText: /^@bia-/ }).waitFor()
  await context.close()
}

/** Everything that the team shares about a contact stands beside the conversation. */
async function history(stage: Stage): Promise<void> {
  const { page, context } = await openConversation(stage)
  const { id } = await connectByApi(page, stage.origin)
  const headers = { 'x-recado-panel': '1' }
  const base = `${stage.origin}/panel/api/test/v1`
  const search = new URL(page.url()).searchParams
  const found = await page.request.get(`${base}/conversations?q=Ana`, { headers })
  const { items } = (await found.json()) as { items: { id: string; contact: { phone: string } }[] }
  const to = items.find((one) => one.id === search.get('conversa'))?.contact.phone
  await page.request.post(`${base}/instances/${id}/messages`, { headers, data: { to, text: 'oi' } })
  await page.reload()
  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  const details = page.getByRole('complementary', { name: 'Sobre a conversa' })
  await details.getByRole('region', { name: 'Notas' }).getByText('Cliente antiga').waitFor()
  const media = details.getByRole('region', { name: 'Mídia' })
  await media.locator('.gallery img').first().waitFor()
  await assertAccessible(page, 'the history of a contact')
  await media.getByRole('tab', { name: 'Fotos' }).focus()
  await page.keyboard.press('ArrowRight')
  await media.getByText('Nada enviado nem recebido ainda.').waitFor()
  const others = details.getByRole('region', { name: 'Outras conversas deste contato' })
  await others.getByRole('link', { name: /^Minha loja/ }).click()
  await log(page).getByText('oi', { exact: true }).waitFor()
  await context.close()
}

async function quickReplies(stage: Stage): Promise<void> {
  const { page, context } = await openConversation(stage)
  await field(page).fill('/ho')
  const offers = page.getByRole('listbox', { name: 'Respostas rápidas' })
  await offers.getByText('/horario').waitFor()
  await assertAccessible(page, 'quick replies')
  await page.keyboard.press('Enter')
  await offers.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await log(page).getByText('Oi, Ana! Atendemos de segunda a sábado').waitFor()

  await page.goto('/teste/respostas')
  await page.getByRole('button', { name: 'Nova resposta' }).click()
  await page.getByLabel('Atalho', { exact: true }).fill('horario')
  await page.getByLabel('Texto').fill('Outra coisa')
  await page.getByRole('button', { name: 'Salvar' }).click()
  // The refusal is kept next to its field.
  await page
    .getByRole('dialog')
    .getByText(/Já existe uma resposta com o atalho/)
    .waitFor()
  await page.getByLabel('Atalho', { exact: true }).fill('endereco')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('cell', { name: '/endereco' }).waitFor()
  await context.close()
}

async function schedule(stage: Stage): Promise<void> {
  const { page, context, instanceId } = await openConversation(stage)
  await field(page).fill('Seu bolo está pronto!')
  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Agendar mensagem' }).click()
  const dialog = page.getByRole('dialog', { name: /Agendar mensagem/ })
  await dialog.getByLabel('Envio em').click()
  const calendar = page.getByRole('dialog', { name: 'Envio em' })
  await calendar.getByRole('button', { name: 'próximo mês' }).click()
  await calendar.getByRole('button', { name: /\b15 de/ }).click()
  await calendar.getByLabel('Hora').fill('14:30')
  await assertAccessible(page, 'a calendar')
  await calendar.getByRole('button', { name: 'Pronto' }).click()
  await dialog.getByRole('button', { name: /14:30/ }).waitFor()
  await dialog.getByRole('button', { name: 'Agendar', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const answer = await page.request.get(
    `${stage.origin}/panel/api/test/v1/instances/${instanceId}/scheduled-messages`,
  )
  const { items } = (await answer.json()) as { items: { message: { text: string } }[] }
  assert.deepEqual(
    items.map(({ message }) => message.text),
    ['Seu bolo está pronto!'],
  )
  assert.equal(await field(page).inputValue(), '', 'the scheduled text leaves the reply field')
  await page.getByRole('link', { name: '1 mensagem agendada' }).waitFor()
  await context.close()
}

describePanel('the inbox of a team', (stage) => {
  it('assigns and closes conversations, and finds them by who answers them', () =>
    assignment(stage()))
  it('keeps notes in the conversation that the contact never sees', () => notes(stage()))
  it('keeps a note a note, and a refused message in its conversation, while a message is being sent', () =>
    slowSends(stage()))
  it('notifies the members whom a note mentions, and offers their names after an at sign', () =>
    mentions(stage()))
  it('shows the notes, the files and the other chats of a contact beside the conversation', () =>
    history(stage()))
  it('offers quick replies after a slash, filled in for the contact', () => quickReplies(stage()))
  it('schedules a message for a day and an hour', () => schedule(stage()))
})
