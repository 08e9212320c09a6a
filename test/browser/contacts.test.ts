// What a team keeps about its contacts: names, fields, imported lists, and who wants no campaigns.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { describePanel, type Stage } from '../kit/panel.ts'
import { fillRealistically } from '../kit/realistic.ts'

async function card(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { conversationId } = await fillRealistically(page, stage)
  await page.goto('/teste/contatos')
  // By keyboard, as by a click anywhere in the row.
  await page.getByRole('button', { name: /Ana Beatriz/ }).press('Enter')
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Nome', { exact: true }).fill('Dona Ana')
  await drawer.getByText('Novo campo').click()
  await drawer.getByLabel('Campo', { exact: true }).fill('Bairro')
  await drawer.getByLabel('Valor', { exact: true }).fill('Pinheiros')
  await drawer.getByRole('button', { name: 'Salvar' }).click()
  await drawer.getByLabel('Bairro', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'Dona Ana' }).waitFor()
  await assertAccessible(page, 'the card of a contact')

  // Its address opens it again, typed as digits or followed as a link.
  const address = new URL(page.url()).searchParams.get('contato') ?? ''
  await page.goto(`/teste/contatos?contato=${address.replaceAll('"', '')}`)
  await drawer.getByLabel('Bairro', { exact: true }).waitFor()
  await page.reload()
  await drawer.getByLabel('Bairro', { exact: true }).waitFor()

  // A change that is not saved is not lost without a question.
  await drawer.getByLabel('Nome', { exact: true }).fill('Ana Maria')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Descartar o que você preencheu?' })
  await question.getByRole('button', { name: 'Continuar' }).click()
  assert.equal(await drawer.getByLabel('Nome', { exact: true }).inputValue(), 'Ana Maria')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Descartar' }).click()
  await drawer.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /Dona Ana/ }).click()

  // No campaigns: the list names them, and gives them back.
  await drawer.getByLabel('Recebe campanhas').uncheck()
  await page.getByRole('tab', { name: 'Não recebem campanhas' }).click()
  await page.getByRole('cell', { name: 'pela equipe' }).waitFor()
  await assertAccessible(page, 'the list of opt-outs')
  await page.getByRole('button', { name: 'Voltar a incluir' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Voltar a incluir' }).click()
  await page.getByText('Ninguém pediu para sair').waitFor()

  // A message that is gone is not searched for without a word.
  await page.goto(`/teste/conversas?conversa=${conversationId}&mensagem=msg_x`)
  await page.getByText('A mensagem não está mais nesta conversa').waitFor()

  // The conversation shows the same card.
  await page.goto(`/teste/conversas?conversa=${conversationId}`)
  await page.locator('.inbox-rows strong', { hasText: 'Dona Ana' }).waitFor()
  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  const details = page.locator('.inbox-details')
  assert.equal(await details.getByLabel('Bairro', { exact: true }).inputValue(), 'Pinheiros')
  await details.getByLabel('Nome', { exact: true }).fill('')
  await details.getByRole('button', { name: 'Salvar' }).click()
  await page.locator('.inbox-rows strong', { hasText: 'Ana Beatriz' }).waitFor()
  await context.close()
}

async function list(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { instanceId } = await fillRealistically(page, stage)
  const instance = `${stage.origin}/panel/api/test/v1/instances/${instanceId}`
  const data = { settings: { publishing: true } }
  await page.request.patch(instance, { headers: { 'x-recado-panel': '1' }, data })
  await page.goto('/teste/contatos')
  await page.getByRole('button', { name: 'Importar CSV' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Arquivo CSV').setInputFiles({
    name: 'clientes.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      'nome;telefone;cidade\nRui;11977776666;x\nRui Barbosa;(11) 97777-6666;Santos\nErrado;12;x\nNinguém;;x\n',
    ),
  })
  await dialog.getByText('3 contatos lidos.').waitFor()
  await dialog.getByRole('cell', { name: 'Rui Barbosa' }).waitFor()
  await dialog.getByRole('cell', { name: 'cidade: Santos' }).waitFor()
  await assertAccessible(page, 'a file before its import')
  await dialog.getByRole('button', { name: 'Importar 3 contatos' }).click()
  await dialog.getByText('1 contato importado.').waitFor()
  await dialog.getByText('Uma linha repete o número de outra: vale a última.').waitFor()
  await dialog.getByText('2 linhas ficaram de fora:').waitFor()
  await dialog.getByText('Linha 4 (12): telefone inválido').waitFor()
  await dialog.getByText('Linha 5: sem número').waitFor()
  await assertAccessible(page, 'the outcome of an import')
  await dialog.getByRole('button', { name: 'Fechar' }).click()
  await page.getByRole('cell', { name: 'Rui Barbosa' }).click()
  const city = page.getByRole('dialog').getByLabel('cidade', { exact: true })
  await city.waitFor()
  assert.equal(await city.inputValue(), 'Santos')

  // With someone who was imported there is no conversation yet: the first message begins it.
  await page.getByRole('button', { name: 'Abrir conversa' }).click()
  const first = page.getByRole('dialog', { name: 'Nova conversa' })
  await first.getByLabel('Texto').fill('Oi, Rui!')
  await assertAccessible(page, 'a new conversation')
  await first.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('log').getByText('Oi, Rui!').waitFor()

  // A new conversation suggests contacts by their name, and by their number however it is typed.
  await page.getByRole('button', { name: 'Nova conversa' }).click()
  const next = page.getByRole('dialog', { name: 'Nova conversa' })
  const recipient = next.getByLabel('Nome de um contato ou número')
  const suggestion = page.getByRole('option', { name: 'Rui Barbosa +55 (11) 97777-6666' })
  for (const typed of ['rui b', '(11) 97777']) {
    await recipient.fill('')
    await recipient.pressSequentially(typed)
    await suggestion.waitFor()
    await assertAccessible(page, `suggestions for ${typed}`)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.equal(await recipient.inputValue(), '+55 (11) 97777-6666')
    await suggestion.waitFor({ state: 'detached' })
  }
  // Escape closes the list, and keeps what was typed.
  await recipient.fill('rui')
  await suggestion.waitFor()
  await page.keyboard.press('Escape')
  await suggestion.waitFor({ state: 'detached' })
  assert.equal(await recipient.inputValue(), 'rui')
  await recipient.pressSequentially(' b')
  await suggestion.click()
  await next.getByLabel('Texto').fill('Oi de novo')
  await next.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('log').getByText('Oi de novo').waitFor()
  // An instance that may publish posts to its status.
  await page.getByRole('button', { name: 'Nova conversa' }).click()
  const post = page.getByRole('dialog', { name: 'Nova conversa' })
  await post.getByLabel('Publicar no status').check({ force: true })
  await recipient.waitFor({ state: 'detached' })
  await post.getByLabel('Texto').fill('Fechados amanhã')
  await post.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('heading', { name: 'Status' }).waitFor()
  await page.getByRole('log').getByText('Fechados amanhã').waitFor()
  await page.locator('.inbox-rows button').filter({ hasText: 'Rui' }).click()

  // Pinned, an older conversation stands above it.
  const names = page.locator('.inbox-rows strong')
  await names.filter({ hasText: 'Dona Lúcia' }).click()
  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  await page.locator('.inbox-details').getByLabel('Fixada').check()
  await waitUntil(
    page,
    `document.querySelector('.inbox-rows strong')?.textContent === 'Dona Lúcia'`,
  )
  await context.close()
}

describePanel('contacts', (stage) => {
  it('contacts show the name, fields and opt-out set by the team', () => card(stage()))
  it('contacts are imported from a file, and skipped lines are reported', () => list(stage()))
})
