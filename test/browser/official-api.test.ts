// Meta's official API in the panel: connecting a number, templates, and the 24 hours to answer.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../kit/browser.ts'
import { startGraphServer, type GraphServer } from '../kit/graph-server.ts'
import { describePanel, hand, type Stage } from '../kit/panel.ts'

const ANA = '5511988887777'
let graph: GraphServer | undefined
after(() => graph?.close())

/** Posts what Ana wrote as Meta does. */
async function write(stage: Stage, instanceId: string, number: ReturnType<GraphServer['number']>) {
  if (!graph) throw new Error('the Graph API has not started')
  const text = { type: 'text', text: { body: 'Ainda tem bolo de cenoura?' } }
  const { body, headers } = graph.sign(number, graph.incoming(ANA, text))
  const answer = await fetch(`${stage.origin}/cloud/${instanceId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  assert.equal(answer.status, 200)
}

/** Creates an instance of the official API in the panel, and connects it. */
async function connect(stage: Stage, page: Page) {
  if (!graph) throw new Error('the Graph API has not started')
  const number = graph.number('551130001000', 'Padaria')
  graph.ports.set(new URL(stage.origin).host, Number(new URL(stage.origin).port))
  const { click, fill } = hand(page)
  await page.goto('/producao/instancias?nova=sim')
  await page.getByLabel('Como conectar').selectOption('cloud_api')
  await click('Criar')
  await fill('Id do número', number.phoneNumberId)
  await fill('Id da conta do WhatsApp Business', number.businessAccountId)
  await fill('Token de acesso', 'EAAGerradoerradoerradoerrado')
  await fill('Chave secreta do aplicativo', number.appSecret)
  await click('Conectar à API oficial')
  await page.getByText(/Meta não aceita este token/).waitFor()
  await assertAccessible(page, 'an account that Meta rejects')
  await fill('Token de acesso', number.accessToken)
  await click('Conectar à API oficial')
  await page.getByText('A Meta envia para este endereço').waitFor()
  const [, id = ''] = /instancias\/(ins_\w+)/.exec(page.url()) ?? []
  assert.ok(number.callback?.endsWith(`/cloud/${id}`))
  return { number, id }
}

async function works(stage: Stage): Promise<void> {
  const { page, context, projectId } = await stage.enter()
  await stage.ops('subscription', 'set', '--project', projectId, '--status', 'active')
  await stage.ops('credits', 'grant', '--project', projectId, '--amount', '50')
  const { number, id } = await connect(stage, page)
  const { click, fill } = hand(page)

  await page.goto(`/producao/instancias/${id}`)
  await page.getByText('conectada', { exact: true }).first().waitFor()
  await click('Novo modelo')
  await page.getByRole('dialog').getByLabel('Nome').fill('pedido_pronto')
  // Meta reviews and charges each category differently, so a template is marketing only by choice.
  assert.equal(await page.getByRole('dialog').getByLabel('Categoria').inputValue(), 'UTILITY')
  await fill('Texto', 'Oi, {{1}}! O pedido {{2}} está pronto.')
  await fill('Exemplo para {{1}}', 'Ana')
  await fill('Exemplo para {{2}}', '123')
  await assertAccessible(page, 'a new template')
  await click('Enviar para aprovação')
  await page.getByText('Em análise', { exact: true }).waitFor()
  Object.assign(number.templates[0] ?? {}, { status: 'APPROVED' })
  await page.reload()
  await page.getByText('Aprovado', { exact: true }).waitFor()
  await assertAccessible(page, 'an instance of the official API')

  await page.goto('/producao/conversas')
  await click('Nova conversa')
  await fill('Nome de um contato ou número', '+55 11 98888-7777')
  await fill('Valor de {{1}}', 'Ana')
  await fill('Valor de {{2}}', '123')
  await page.getByText('Oi, Ana! O pedido 123 está pronto.').waitFor()
  await click('Enviar')
  await page.getByText('pedido_pronto: Ana · 123').first().waitFor()
  await fill('Mensagem', 'Pode vir buscar')
  await page.keyboard.press('Enter')
  await page.getByText(/não escreve há mais de 24 horas/).waitFor()
  await click('Enviar modelo')
  await page.getByRole('dialog').waitFor()
  await assertAccessible(page, 'the choice of a template')
  await page.keyboard.press('Escape')
  await write(stage, id, number)
  await page.getByText('Ainda tem bolo de cenoura?').first().waitFor()
  await page.keyboard.press('Escape')
  await fill('Mensagem', 'Tem sim!')
  await page.keyboard.press('Enter')
  await page.getByText('Tem sim!').first().waitFor()
  const types = () => number.posted.map(({ body }) => body['type'])
  while (types().length < 2) await page.waitForTimeout(20)
  assert.deepEqual(types(), ['template', 'text'])
  await context.close()
}

describePanel(
  'the official API in the panel',
  (stage) => {
    it('connects a number with a token, submits a template, and sends it where nothing else may be sent', () =>
      works(stage()))
  },
  async () => {
    graph = await startGraphServer()
    return {
      PRODUCTION_NETWORK: 'whatsapp',
      CLOUD_API_URL: graph.url,
      EGRESS_ALLOW: '127.0.0.1/32',
    }
  },
)
