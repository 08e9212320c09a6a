// Everyday work: send messages of every kind, answer conversations, run campaigns, follow deliveries.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { connectByApi, describePanel, openWithin, poster, type Stage } from '../kit/panel.ts'

const picture = PNG.sync.write(new PNG({ width: 8, height: 8 }))
const FILE = { name: 'foto.png', mimeType: 'image/png', buffer: picture }
const ANA = '+55 11 98888-7777'

/** The fields of each kind, as a user fills them in. */
const KINDS: Record<string, (page: Page) => Promise<void>> = {
  text: (page) => page.getByLabel('Texto', { exact: true }).fill('Olá, Ana!'),
  image: async (page) => {
    await page.getByLabel('Arquivo', { exact: true }).setInputFiles(FILE)
    await page.getByLabel('Legenda').fill('A vitrine')
  },
  document: (page) => page.getByLabel('Arquivo', { exact: true }).setInputFiles(FILE),
  location: async (page) => {
    await page.getByLabel('Latitude').fill('-23,5505')
    await page.getByLabel('Longitude').fill('-46.6333')
    await page.getByLabel('Nome do lugar').fill('Praça da Sé')
  },
  contact: async (page) => {
    await page.getByLabel('Nome do contato').fill('Bia')
    await page.getByLabel('Telefone do contato').fill('+55 11 97777-6666')
  },
  poll: async (page) => {
    await page.getByLabel('Pergunta').fill('Pão ou bolo?')
    await page.getByLabel('Opções').fill('Pão\nBolo\n')
  },
}

async function kinds(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await page.goto(`/teste/instancias/${id}/mensagens`)
  await page.getByRole('button', { name: 'Enviar mensagem' }).click()
  const form = page.getByRole('region', { name: 'Enviar' })
  for (const [kind, fill] of Object.entries(KINDS)) {
    await form.getByLabel('Tipo').selectOption(kind)
    await page.getByLabel('Para', { exact: true }).fill(ANA)
    await fill(page)
    await form.getByRole('button', { name: 'Enviar', exact: true }).click()
    await page.locator('tbody tr').nth(Object.keys(KINDS).indexOf(kind)).waitFor()
  }
  // They come to their ends on the screen without user action, and count in the day.
  await page.locator('tbody tr:has-text("entregue")').nth(5).waitFor()
  await page.getByText('6 de 100 mensagens hoje').waitFor()
  const rows = await page.locator('tbody tr').allInnerTexts()
  const said = ['enquete: Pão ou bolo?', 'contato: Bia', 'localização: Praça da Sé', 'documento']
  for (const [index, text] of said.entries()) assert.ok(rows[index]?.includes(text), rows[index])

  // The same as a call: ready to be pasted, with what the form says.
  await form.getByLabel('Tipo').selectOption('location')
  await KINDS['location']?.(page)
  await page.getByRole('tab', { name: 'Pela API' }).click()
  const curl = await page.getByRole('tabpanel').locator('pre').innerText()
  assert.match(curl, new RegExp(`/v1/instances/${id}/messages/location`))
  assert.match(curl, /"to":"\+55 11 98888-7777","latitude":-23.5505,"longitude":-46.6333/)

  // Filters are in the address: a colleague who opens it sees the same.
  await page.goto(`/teste/instancias/${id}/mensagens?tipo=poll`)
  await page.getByRole('cell', { name: 'enquete: Pão ou bolo?' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  await page.getByRole('button', { name: 'enquete: Pão ou bolo?' }).click()
  await page.getByRole('list', { name: 'Histórico da mensagem' }).getByText('entregue').waitFor()
  await assertAccessible(page, 'a message')
  assert.deepEqual(complaints, [])
  await context.close()
}

async function conversations(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/telefone')
  const write = async (text: string) => {
    await page.getByLabel('Mensagem').fill(text)
    await page.getByRole('button', { name: 'Enviar' }).click()
    await page.getByRole('log').getByText(text).waitFor()
  }
  await write('Vocês abrem domingo?')
  await page.getByRole('link', { name: 'Conversas' }).click()
  await page.getByRole('button', { name: /Vocês abrem domingo/ }).click()
  const log = page.getByRole('log')
  await log.getByText('Vocês abrem domingo?').waitFor()
  // What is looked at is read.
  await page.locator('.inbox-rows .badge').waitFor({ state: 'detached' })

  // With the keyboard: r to answer, Enter to send. The answer quotes.
  const theirs = log.locator('li[data-mine=false]')
  await theirs.hover()
  await theirs.getByRole('button', { name: 'Responder' }).click()
  await page.keyboard.type('Sim, das 8 às 12.')
  // A key that is held sends once.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Enter')
  const mine = log.locator('li[data-mine=true]')
  await mine.getByText('Sim, das 8 às 12.').waitFor()
  await mine.getByText('entregue').waitFor()
  assert.equal(await mine.count(), 1)
  assert.match(await mine.locator('blockquote').innerText(), /^Ana\s+Vocês abrem domingo\?$/)
  // The quote leads to the message, which is marked.
  await mine.locator('blockquote').getByRole('button').click()
  await log.locator('li[data-wanted=true]', { hasText: 'Vocês abrem domingo?' }).waitFor()
  // The list shows what became of the answer.
  await page.locator('.inbox-rows').getByText('entregue').first().waitFor()

  await theirs.hover()
  await theirs.getByRole('button', { name: 'Reagir' }).click()
  await page.getByRole('button', { name: '👍' }).click()
  await log.locator('.reactions', { hasText: '👍' }).waitFor()
  // Chosen again, it is withdrawn.
  await theirs.hover()
  await theirs.getByRole('button', { name: 'Reagir' }).click()
  await page.getByRole('button', { name: '👍', pressed: true }).click()
  await log.locator('.reactions', { hasText: '👍' }).waitFor({ state: 'detached' })

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Anexar' }).click()
  await page.getByRole('menuitem', { name: 'Imagem' }).click()
  await (await chooser).setFiles(FILE)
  await page.getByRole('button', { name: 'Enviar', exact: true }).click()
  const image = log.locator('img')
  await image.waitFor()
  await waitUntil(page, 'document.querySelector("[role=log] img").naturalWidth > 0')
  // Opened by keyboard, it lies over the page; Escape closes it and returns the focus to it.
  await log.locator('a:has(img)').press('Enter')
  const enlarged = page.getByRole('dialog')
  await enlarged.locator('img').waitFor()
  await enlarged.getByRole('link', { name: 'Baixar' }).waitFor()
  await assertAccessible(page, 'a picture')
  await page.keyboard.press('Escape')
  await enlarged.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate('document.activeElement.querySelector("img") !== null'), true)

  const choose = async (name: string) => {
    await mine.first().hover()
    await mine.first().getByRole('button', { name: 'Ações' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Editar')
  await page.getByRole('dialog').getByLabel('Texto').fill('Sim, das 8 às 13.')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await mine.getByText('Sim, das 8 às 13.').waitFor()
  await choose('Apagar para todos')
  await page.getByRole('dialog').getByRole('button', { name: 'Apagar para todos' }).click()
  await mine.getByText('mensagem apagada').waitFor()

  await page.getByRole('button', { name: 'Sobre a conversa' }).click()
  await page.getByLabel('Fixada').click()
  await page.getByLabel('Fixada').and(page.locator(':checked')).waitFor()
  await assertAccessible(page, 'a conversation')

  // On the other side it arrived.
  await page.getByRole('link', { name: 'Celular virtual' }).click()
  await page.getByRole('log').locator('img').waitFor()
  await page.getByRole('button', { name: /^Ler \d/ }).click()
  await page.getByRole('button', { name: /^Ler \d/ }).waitFor({ state: 'detached' })
  await page.goBack()
  await log.locator('li[data-mine=true]').last().getByText('lida').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function circles(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/grupos')
  await page.getByRole('button', { name: 'Criar pelo celular virtual' }).click()
  await page.getByRole('button', { name: 'Grupo de teste' }).click()
  await page.getByRole('table', { name: 'Participantes' }).getByText('Minha loja').waitFor()
  // Its history is in words.
  await page
    .getByText(/^(adicionado|entrou|nome:) ?·? ?/)
    .first()
    .waitFor()
  await assertAccessible(page, 'a group')

  await openWithin(page, 'Conversas', 'Chamadas')
  await page.getByRole('button', { name: 'Ligar pelo celular virtual' }).click()
  await page.getByText('tocando').waitFor()
  await page.getByRole('button', { name: 'Recusar' }).click()
  await page.getByText('recusada').waitFor()
  await page.getByRole('button', { name: 'Ações' }).first().click()
  await page.getByRole('menuitem', { name: 'Abrir conversa' }).click()
  const begin = page.getByRole('dialog', { name: 'Nova conversa' })
  assert.match(await begin.getByLabel('Nome de um contato ou número').inputValue(), /^\+55/)
  await begin.getByRole('button', { name: 'Cancelar' }).click()

  await openWithin(page, 'Conversas', 'Etiquetas')
  await page.getByRole('button', { name: 'Nova etiqueta' }).click()
  await page.getByLabel('Nome').fill('Pago')
  await page.getByLabel('Verde').check({ force: true })
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByRole('cell', { name: 'Pago' }).waitFor()
  assert.equal(await page.getByText('label.updated').count(), 0)
  await assertAccessible(page, 'labels')
  await page.getByRole('row', { name: 'Pago' }).getByRole('button', { name: 'Ações' }).click()
  await page.getByRole('menuitem', { name: 'Excluir' }).click()
  await page.getByRole('button', { name: 'Excluir etiqueta' }).click()
  await page.getByText('Nenhuma etiqueta').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

/** An admin changes the settings of a group, and passes its invitation on. */
async function groupSettings(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const ana = await post('/simulator/phones', { name: 'Ana' })
  await page.goto('/teste/grupos')
  await page.getByRole('button', { name: 'Criar grupo' }).click()
  const creating = page.getByRole('dialog', { name: 'Criar grupo' })
  await creating.getByLabel('Nome').fill('Obras')
  await creating.getByLabel('Números de telefone').fill(ana.phone)
  await assertAccessible(page, 'a new group')
  await creating.getByRole('button', { name: 'Criar grupo' }).click()
  const drawer = page.getByRole('dialog', { name: 'Obras' })
  const anaRow = drawer
    .getByRole('table', { name: 'Participantes' })
    .getByRole('row', { name: 'Ana' })
  const choose = async (entry: string) => {
    await anaRow.getByRole('button', { name: 'Ações' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  await choose('Tornar administrador')
  await anaRow.getByText('administrador').waitFor()
  await choose('Remover como administrador')
  await anaRow.getByText('administrador').waitFor({ state: 'detached' })
  await choose('Remover')
  await page
    .getByRole('dialog', { name: 'Remover: Ana' })
    .getByRole('button', { name: 'Remover' })
    .click()
  await anaRow.waitFor({ state: 'detached' })
  await drawer.getByText('Adicionar pessoas').click()
  await drawer.getByLabel('Números de telefone').fill(ana.phone)
  await drawer.getByRole('button', { name: 'Adicionar' }).click()
  await anaRow.waitFor()
  await drawer.getByText('Configurações do grupo').click()
  await drawer.getByLabel('Só administradores enviam mensagens').check({ force: true })
  await drawer.getByLabel('Mensagens temporárias').selectOption('604800')
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await drawer.locator('details[open]').getByRole('button', { name: 'Salvar' }).click()
  const { settings } = await (await saved).json()
  assert.deepEqual([settings.onlyAdminsSend, settings.disappearingSeconds], [true, 604_800])
  await drawer.getByText('Link de convite').click()
  const link = drawer.getByText(/^https:\/\/chat\.whatsapp\.com\//)
  const before = await link.textContent()
  await drawer.getByRole('button', { name: 'Trocar o link' }).click()
  await waitUntil(page, `!document.body.textContent.includes(${JSON.stringify(before)})`)
  await assertAccessible(page, 'the settings of a group')
  assert.deepEqual(complaints, [])
  await context.close()
}

async function campaign(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/campanhas')
  await page.getByRole('button', { name: 'Nova campanha' }).click()
  await page.getByLabel('Nome', { exact: true }).fill('Novembro')
  await page.getByText('Personalizado').click()
  await page.getByLabel('Intervalo mínimo (s)').fill('0')
  await page.getByLabel('Intervalo máximo (s)').fill('0')
  await page.getByLabel('Enviar entre').fill('00:00')
  await page.getByLabel('Enviar até').fill('23:59')
  // The preview is filled in with the first people of a list.
  const phone = page.getByRole('complementary', { name: 'Prévia das primeiras mensagens' })
  await phone.getByText('Oi {{nome}}!').waitFor()
  const sample = Buffer.from('telefone;nome\n5511977776666;Zé\n')
  const chosen = { name: 'lista.csv', mimeType: 'text/csv', buffer: sample }
  await page.getByLabel('Arquivo CSV').setInputFiles(chosen)
  await phone.getByText('Oi Zé!').waitFor()
  await assertAccessible(page, 'a new campaign')
  // A variable that the list lacks is named before anything is stored, on a screen of any width.
  await page.getByLabel('Texto').fill('Oi {{nome}}, seu cupom é {{cupom}}!')
  await phone.getByText('{{cupom}}: a lista não tem esta variável').waitFor()
  const size = page.viewportSize()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.equal(excess, 0, `the page of a new campaign, ${width} px wide, scrolls sideways`)
  }
  if (size) await page.setViewportSize(size)
  await page.getByLabel('Texto').fill('Oi {{nome}}!')
  await page.getByLabel('Arquivo CSV').setInputFiles([])
  await page.getByRole('button', { name: 'Criar rascunho' }).click()
  await page.getByRole('heading', { name: 'Novembro' }).waitFor()
  const list = 'telefone;nome\n5511977776666;Zé\nabc;Bia\n5511977776666;Zé\n5511955554444;Caê\n'
  const file = { name: 'lista.csv', mimeType: 'text/csv', buffer: Buffer.from(list, 'latin1') }
  await page.getByLabel('Arquivo CSV').setInputFiles(file)
  await page.getByRole('button', { name: 'Adicionar' }).click()
  await page.getByText('2 adicionados, 1 repetido, 1 inválido').waitFor()
  await page.getByText('Linha 3 (abc): número inválido').waitFor()
  await assertAccessible(page, 'a campaign')
  // It starts only after a look at the people, the instances, the cost and what the first ones read.
  await page.getByRole('button', { name: 'Iniciar' }).click()
  const asked = page.getByRole('dialog', { name: 'Enviar para 2 pessoas' })
  await asked.getByText('nenhum, em teste').waitFor()
  await asked.getByText('Minha loja').waitFor()
  await asked
    .getByRole('list', { name: 'Prévia das primeiras mensagens' })
    .getByText('Oi Zé!')
    .waitFor()
  await asked.getByText('+55 (11) 97777-6666').waitFor()
  await assertAccessible(page, 'the start of a campaign')
  await asked.getByRole('button', { name: 'Enviar para 2 pessoas' }).click()
  const state = page.locator('[aria-live=polite]').first()
  await state.getByText(/em andamento|concluída/).waitFor()
  await page.getByRole('cell', { name: 'Oi Zé!' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function labelledCampaign(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  const contacts = [
    { phone: '+55 11 97777-0001', name: 'Ana', fields: { plano: 'anual' } },
    { phone: '+55 11 97777-0002', name: 'Bia' },
  ]
  await post(`/instances/${id}/contacts/import`, { contacts })
  const label = await post(`/instances/${id}/labels`, { name: 'Cliente' })
  await post(`/instances/${id}/messages`, { to: '5511977770001', text: 'oi' })
  await page.goto('/teste/conversas')
  await page.locator('.inbox-rows button').first().waitFor()
  const [conversation] = await page.evaluate(
    async (path) => ((await (await fetch(path)).json()) as { items: { id: string }[] }).items,
    `/panel/api/test/v1/instances/${id}/conversations`,
  )
  const of = `/panel/api/test/v1/instances/${id}/labels/${label.id}/conversations/${conversation?.id}`
  await page.evaluate(
    (path) => fetch(path, { method: 'PUT', headers: { 'x-recado-panel': '1' } }),
    of,
  )
  await page.goto('/teste/campanhas/nova')
  await page.getByLabel('Nome', { exact: true }).fill('Clientes')
  await page.getByRole('textbox', { name: 'Texto' }).fill('Oi {{nome}}, plano {{plano}}!')
  await page.getByLabel('Quem recebe').selectOption('Contatos de uma instância')
  await page
    .getByText('2 pessoas na lista. Variáveis: {{nome}}, {{telefone}}, {{plano}}.')
    .waitFor()
  await page.getByLabel('Etiqueta').selectOption('Cliente')
  await page.getByText('1 pessoa na lista. Variáveis: {{nome}}, {{telefone}}, {{plano}}.').waitFor()
  const phone = page.getByRole('complementary', { name: 'Prévia das primeiras mensagens' })
  await phone.getByText('Oi Ana, plano anual!').waitFor()
  await assertAccessible(page, 'a new campaign for the contacts with a label')
  await page.getByRole('button', { name: 'Criar rascunho' }).click()
  await page.getByRole('heading', { name: 'Clientes' }).waitFor()
  await page.getByText('1 adicionado').waitFor()
  await page.getByRole('button', { name: 'Iniciar' }).click()
  await page.getByRole('dialog', { name: 'Enviar para 1 pessoa' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

/** An hour of the day in São Paulo, `hours` from now. */
const hourIn = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toLocaleTimeString('pt-BR', {
    timeZone: 'America/Sao_Paulo',
    hour: '2-digit',
    minute: '2-digit',
  })

async function drafts(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/campanhas/nova')
  await page.getByLabel('Nome', { exact: true }).fill('Natal')
  await page.getByRole('textbox', { name: 'Texto' }).fill('Oi {{apelido}}!')
  const list = 'telefone;nome\n5511977776666;Zé\nabc;Bia\n'
  const file = { name: 'lista.csv', mimeType: 'text/csv', buffer: Buffer.from(list) }
  await page.getByLabel('Arquivo CSV').setInputFiles(file)
  await page.getByText('{{apelido}}: a lista não tem esta variável').waitFor()
  const workbook = { name: 'lista.xlsx', mimeType: '', buffer: Buffer.from('PK\x03\x04') }
  await page.getByLabel('Arquivo CSV').setInputFiles(workbook)
  await page.getByText('salve-o como CSV').waitFor()
  await page.getByLabel('Arquivo CSV').setInputFiles(file)
  await page.getByText('{{apelido}}: a lista não tem esta variável').waitFor()
  // What was filled in is not lost with a click beside the form.
  await page.getByRole('link', { name: 'Conversas' }).click()
  const question = page.getByRole('dialog', { name: 'Descartar o que você preencheu?' })
  await question.getByRole('button', { name: 'Continuar' }).click()
  assert.equal(await page.getByLabel('Nome', { exact: true }).inputValue(), 'Natal')
  await page.getByRole('button', { name: 'Criar rascunho' }).click()
  // Nothing of the list is dropped in silence, and a campaign without people cannot start.
  await page.getByText('0 adicionados').waitFor()
  await page.getByText(/Linha 2 \(5511977776666\): .*apelido/).waitFor()
  await page.getByText('Adicione destinatários para poder iniciar.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Iniciar' }).isDisabled())
  await page.getByRole('link', { name: 'Editar' }).click()
  await page.getByRole('heading', { name: 'Editar o rascunho' }).waitFor()
  const text = page.getByRole('textbox', { name: 'Texto' })
  assert.equal(await text.inputValue(), 'Oi {{apelido}}!')
  await text.fill('Oi {{nome}}!')
  assert.ok(await page.getByLabel('Cuidadoso').isChecked())
  await page.getByText('Personalizado').click()
  await page.getByLabel('Intervalo máximo (s)').fill('60')
  await page.getByLabel('Enviar entre').fill(hourIn(2))
  await page.getByLabel('Enviar até').fill(hourIn(3))
  await page.getByLabel('Arquivo CSV').setInputFiles(file)
  await assertAccessible(page, 'the edit of a draft')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByText('1 adicionado, 0 repetidos, 1 inválido').waitFor()
  // The report stays with the campaign, and a long one can be downloaded.
  await page.reload()
  await page.getByText('1 adicionado, 0 repetidos, 1 inválido').waitFor()
  await page.getByText(/Linha 3 \(abc\)/).waitFor()
  const wrong = ['telefone;nome', ...Array.from({ length: 25 }, (_, index) => `errado${index};Zé`)]
  await page
    .getByLabel('Arquivo CSV')
    .setInputFiles({ ...file, buffer: Buffer.from(wrong.join('\n')) })
  await page.getByRole('button', { name: 'Adicionar' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Baixar 25 linhas recusadas' }).click()
  assert.equal((await download).suggestedFilename(), 'linhas recusadas.csv')
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  assert.equal(lines.length, 26)
  assert.match(lines[25] ?? '', /^"errado24";"26";"/)
  // With a list, its message stays.
  await page.getByRole('link', { name: 'Editar' }).click()
  await page.getByText(/A mensagem não muda/).waitFor()
  assert.equal(await page.getByLabel('Intervalo máximo (s)').inputValue(), '60')
  await page.goBack()
  await page.getByRole('button', { name: 'Iniciar' }).click()
  const asked = page.getByRole('dialog', { name: 'Enviar para 1 pessoa' })
  await asked.getByText('Termina por volta de').waitFor()
  await asked.getByText(/cerca de \d+ por hora/).waitFor()
  await asked.getByRole('button', { name: 'Enviar para 1 pessoa' }).click()
  await page.getByText(/Fora do horário de envio: continua/).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

const EVENTS = [
  'message.received',
  'message.status',
  'instance.status',
  'call.received',
  'message.deleted',
  'group.participants',
  'group.updated',
  'contact.updated',
  'label.updated',
  'label.association',
]

async function deliveries(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/webhooks/novo')
  await page.getByRole('button', { name: 'Usar o receptor de teste' }).click()
  await page.getByLabel('URL').and(page.locator('[value*="/caixa/"]')).waitFor()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByRole('button', { name: 'Já salvei o segredo' }).click()
  await page.getByText('Enviar um evento de teste').click()
  for (const event of EVENTS) {
    const causes = page.getByRole('list')
    await causes.getByRole('button', { name: event, exact: true }).first().click()
    await page.getByText(`${event}: feito`).waitFor()
  }
  // Ten buttons, ten events, and each was delivered.
  const rows = page.getByRole('table', { name: 'Entregas' }).locator('tbody tr')
  for (const event of EVENTS) {
    await rows.filter({ hasText: event }).first().waitFor({ timeout: 15_000 })
  }
  await assertAccessible(page, 'deliveries')

  // The inbox refuses: the line of attempts shows what was tried, and when the next one is.
  await page.getByRole('link', { name: 'Receptor de teste' }).click()
  await page.getByText('assinatura válida').first().waitFor()
  await page.getByLabel('Responder com').selectOption('500')
  await page.getByLabel('Responder com').and(page.locator(':enabled')).waitFor()
  await page.goBack()
  await page.getByText('Enviar um evento de teste').click()
  const causes = page.getByRole('list').first()
  await causes.getByRole('button', { name: 'call.received', exact: true }).click()
  const failing = rows.filter({ hasText: 'tentando de novo' }).first()
  await failing.waitFor({ timeout: 15_000 })
  await failing.click()
  const drawer = page.getByRole('dialog', { name: 'call.received' })
  const beads = drawer.getByRole('list', { name: 'Tentativa' })
  await beads.getByText('1ª · 500').waitFor()
  await beads.getByText('2ª · 500').waitFor({ timeout: 15_000 })
  await beads.getByText('próxima').waitFor()
  await drawer.getByText('A aplicação falhou ao tratar o evento').waitFor()
  await drawer.getByText('Cabeçalhos enviados').click()
  await drawer.getByText('X-Service-Signature').waitFor()
  const payload = drawer.getByRole('region', { name: 'Conteúdo enviado' })
  await payload.getByText('"call.received"').waitFor()
  await payload.getByRole('button', { name: 'Copiar como curl' }).waitFor()
  await assertAccessible(page, 'an open delivery')
  await drawer.getByRole('button', { name: 'Fechar' }).click()

  // Filters are in the address.
  await page.getByLabel('Resposta HTTP').selectOption('5xx')
  await page.waitForURL(/http=5xx/)
  await rows.filter({ hasText: 'entregue' }).first().waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'call.received' }).waitFor()
  assert.equal(await rows.count(), 1)

  // What fails is on the first page, with the way to it.
  await page.getByRole('link', { name: 'Início', exact: true }).click()
  const situation = page.getByRole('region', { name: '1 coisa precisa de você' })
  await situation.getByText(/\d+ falhas? em 24 h · HTTP 500/).waitFor()
  await situation.getByRole('link', { name: 'Ver' }).click()
  await page.waitForURL(/webhooks\/whk_.*resultado=failed/)

  // A webhook is replaced, not changed: the old one goes when the new secret is kept.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('cell').getByRole('link', { name: 'Receptor de teste' }).click()
  const old = page.url()
  await page.getByRole('link', { name: 'Substituir' }).click()
  await page.getByRole('heading', { name: 'Substituir' }).waitFor()
  // Its address opens by itself, too.
  await page.reload()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByRole('button', { name: 'Já salvei o segredo' }).click()
  await page.getByRole('heading', { name: 'Entregas' }).waitFor()
  assert.notEqual(page.url(), old)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('table').waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  assert.deepEqual(complaints, [])
  await context.close()
}

async function search(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/auditoria')
  const field = page.getByRole('searchbox')
  await field.waitFor()
  // A letter comes at the very moment at which the address learns of those before it.
  await page.evaluate(`(() => {
    const field = document.querySelector('input[type=search]')
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    const type = ({ destination }) => {
      if (!destination.url.includes('q=')) return
      navigation.removeEventListener('navigate', type)
      set.call(field, 'ab')
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    navigation.addEventListener('navigate', type)
  })()`)
  await field.fill('a')
  await page.waitForURL(/q=ab$/, { timeout: 5000 })
  assert.equal(await field.inputValue(), 'ab')
  // The browser's way back, and forth, shows what was searched.
  await page.goto('/teste/auditoria?q=loja')
  assert.equal(await field.inputValue(), 'loja')
  await page.goBack()
  await page.waitForURL(/q=ab$/)
  assert.equal(await field.inputValue(), 'ab')
  await context.close()
}

describePanel('everyday work in the panel', (stage) => {
  it('sends messages of every kind, shows each as an API call, and finds them again', () =>
    kinds(stage()))
  it('answers, quotes, reacts, sends files, edits and deletes in a conversation', () =>
    conversations(stage()))
  it('shows groups, labels and calls, and changes them', () => circles(stage()))
  it('lets an admin change the settings of a group and replace its invitation', () =>
    groupSettings(stage()))
  it('finds everything a user types, however fast they type', () => search(stage()))
  it('runs a campaign from a file', () => campaign(stage()))
  it('fills a campaign with the contacts that have a label', () => labelledCampaign(stage()))
  it('edits the draft of a campaign, reports what its list left out, and shows when it ends', () =>
    drafts(stage()))
  it('triggers each of the ten events, follows every attempt and replaces a webhook', () =>
    deliveries(stage()))
})
