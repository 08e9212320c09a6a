// Changes on the server appear on the screen without a reload, through one connection per tab.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, waitUntil } from '../kit/browser.ts'
import { createClient } from '../kit/client.ts'
import { connectByApi, describePanel, type Stage, openWithin } from '../kit/panel.ts'

const HEADERS = { 'x-recado-panel': '1' }

async function withoutReload(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { phone } = await connectByApi(page, stage.origin)
  let streams = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/live')) streams++
  })
  const call = (method: 'post' | 'delete' | 'patch', path: string, data?: object) =>
    page.request[method](`${stage.origin}/panel/api/test/v1${path}`, {
      headers: HEADERS,
      ...(data ? { data } : {}),
    })
  const idOf = async (answer: ReturnType<typeof call>) =>
    ((await (await answer).json()) as { id: string }).id

  // Items are created, changed and removed by API calls while this page is open and untouched.
  await page.goto('/teste/webhooks')
  await page.getByText('Nenhum webhook').waitFor()
  const webhook = await idOf(call('post', '/webhooks', { name: 'ERP', url: 'https://x.invalid' }))
  await page.getByRole('link', { name: 'ERP' }).waitFor()
  await call('patch', `/webhooks/${webhook}`, { enabled: false })
  await page.getByText('pausado').waitFor()
  await call('delete', `/webhooks/${webhook}`)
  await page.getByText('Nenhum webhook').waitFor()

  await page.getByRole('link', { name: 'Chaves de API' }).click()
  await page.getByText('Crie a primeira chave').waitFor()
  await call('post', '/keys', { name: 'Da colega' })
  await page.getByRole('cell', { name: 'Da colega', exact: true }).waitFor()

  await page.getByRole('link', { name: 'Instâncias' }).click()
  await call('post', '/instances', { name: 'Filial' })
  await page.getByRole('link', { name: 'Filial' }).waitFor()

  // A contact writes: the conversation, its count and the meter of the day change.
  await page.getByRole('link', { name: 'Conversas' }).click()
  await page.getByText('Nenhuma conversa').waitFor()
  const ana = await idOf(call('post', '/simulator/phones', { name: 'Ana' }))
  const write = (text: string) =>
    call('post', `/simulator/phones/${ana}/messages`, { to: phone, text })
  await write('oi')
  await page.getByRole('button', { name: /Ana.*oi/s }).waitFor()
  await page.locator('.inbox-rows .badge', { hasText: '1' }).waitFor()
  await page.getByText('1 de 100 mensagens hoje').waitFor()
  await write('tudo bem?')
  await page.locator('.inbox-rows .badge', { hasText: '2' }).waitFor()
  await call('patch', `/simulator/phones/${ana}`, { name: 'Ana Souza' })
  await page.getByRole('button', { name: /Ana Souza/ }).waitFor()

  await openWithin(page, 'Conta', 'Equipe')
  await page.getByRole('table').waitFor()
  await page.request.post(`${stage.origin}/panel/api/members/invitations`, {
    headers: HEADERS,
    data: {
      email: 'novo@x.com.br',
      role: 'Admin',
    },
  })
  await page.getByText('novo@x.com.br').waitFor()

  await page.getByRole('link', { name: 'Eventos ao vivo' }).click()
  await write('e agora?')
  await page.getByText('message.received', { exact: true }).last().waitFor()
  assert.equal(streams, 1)
  await context.close()
}

async function reconnecting(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.clock.install()
  const line = '**/panel/api/test/live'
  let tries = 0
  await page.route(line, (route) => {
    tries++
    return route.abort()
  })
  await page.goto('/teste/webhooks')
  await page.getByText('Reconectando').waitFor()
  // Each try waits longer than the one before it.
  const seen: number[] = []
  for (let second = 0; second < 8; second++) {
    await page.clock.runFor(1000)
    seen.push(tries)
  }
  assert.ok(tries <= 4, `${tries} tries in eight seconds`)
  await page.request.post(`${stage.origin}/panel/api/test/v1/webhooks`, {
    headers: HEADERS,
    data: {
      name: 'Enquanto isso',
      url: 'https://x.invalid',
    },
  })
  await page.unroute(line)
  await page.clock.runFor(30_000)
  // Back again, and what happened meanwhile is there.
  await page.getByText('Reconectando').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Enquanto isso' }).waitFor()
  await context.close()
}

async function codes(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.clock.install()
  await page.goto('/teste/instancias')
  await page.getByRole('button', { name: 'Nova instância' }).click()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByTestId('qr').waitFor()
  // The stream brings the codes, and nothing else is asked.
  // A page that was just opened repeats its first requests once.
  await page.clock.runFor(8000)
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/pairing')) asked++
  })
  await page.clock.runFor(10_000)
  assert.equal(asked, 0)
  // Without the stream they are asked for, and the page says so.
  const line = '**/panel/api/test/live'
  await page.route(line, (route) => route.abort())
  await page.reload()
  await page.getByText('Verificando a cada 3 segundos').waitFor()
  await page.getByTestId('qr').waitFor()
  const before = asked
  await page.clock.runFor(3500)
  await page.waitForRequest('**/pairing')
  assert.ok(asked > before)
  await context.close()
}

async function telephone(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const api = `${stage.origin}/panel/api/test/v1`
  const people = async () => {
    const { items } = (await (await page.request.get(`${api}/simulator/phones`)).json()) as {
      items: { id: string; phone: string; pairedInstanceIds: string[] }[]
    }
    return items.filter(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
  }
  await page.goto('/teste/telefone')
  // A phone is created for a user who has none.
  await page.getByLabel('Mensagem', { exact: true }).waitFor()
  const [person] = await people()
  assert.ok(person)
  // Typing is emitted once: wait for a change that only the live connection of this page can deliver.
  await page.request.patch(`${api}/simulator/phones/${person.id}`, {
    headers: HEADERS,
    data: { name: 'Ana da Filial' },
  })
  await waitUntil(
    page,
    `[...document.querySelectorAll('option')].some((one) => one.text.startsWith('Ana da Filial'))`,
  )

  // Stop the page's clock, so that a passing notice stays on screen until it is checked.
  await page.clock.install()
  const data = { to: person.phone, text: 'Já estou vendo.', typingMs: 200 }
  await page.request.post(`${api}/instances/${id}/messages/text`, { headers: HEADERS, data })
  await page.getByRole('status').getByText('digitando…').waitFor()
  await page.clock.runFor(200)
  await page.getByText('digitando…').waitFor({ state: 'detached' })
  await page.clock.resume()
  await page.getByRole('log').getByText('Já estou vendo.').waitFor()

  // A user who discards the phone gets no other one, even after a refetch.
  await page.getByRole('button', { name: 'Excluir celular' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Excluir celular' }).click()
  await page.getByText('Nenhum celular').waitFor()
  await page.request.post(`${api}/webhooks`, {
    headers: HEADERS,
    data: {
      name: 'ERP',
      url: 'https://x.invalid',
    },
  })
  await page.request.post(`${api}/simulator/phones`, {
    headers: HEADERS,
    data: {
      name: 'Filial',
      business: true,
    },
  })
  await page.getByLabel('Mensagem', { exact: true }).waitFor()
  assert.equal((await people()).length, 1)
  assert.deepEqual(complaints, [])
  await context.close()
}

async function requests(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const api = `${stage.origin}/panel/api/test/v1`
  const made = await page.request.post(`${api}/keys`, { headers: HEADERS, data: { name: 'ERP' } })
  const { key } = (await made.json()) as { key: string }
  const port = Number(new URL(stage.origin).port)
  const client = createClient({ port, host: 'sandbox.localhost', token: key, check: () => {} })
  await page.goto('/teste/requisicoes')
  await page.getByText('Nenhuma requisição ainda').waitFor()
  // The address that the page shows to paste is that of the mode.
  await page.getByText('http://sandbox.localhost:').waitFor()
  await client.get('/v1/instances')
  await page.getByRole('cell', { name: 'GET /v1/instances' }).waitFor()
  // New rows do not move what a user is reading.
  await client.post('/v1/webhooks', { name: 'ERP', url: 'não é' })
  await page.getByRole('button', { name: '1 nova' }).click()
  await page.getByRole('button', { name: 'POST /v1/webhooks' }).click()
  const drawer = page.getByRole('dialog', { name: 'POST /v1/webhooks' })
  await drawer.getByText('A referência em /docs tem um exemplo').waitFor()
  await assertAccessible(page, 'a request')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  assert.equal(await page.locator('tbody tr').count(), 2)
  await page.getByLabel('Resultado').selectOption('success')
  await page.waitForURL(/resultado=success/)
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
  await assertAccessible(page, 'requests')
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('live updates in the panel', (stage) => {
  it('shows an API call when it happens, with advice on its error', () => requests(stage()))
  it('creates a phone for a company that has none, and shows that the instance is typing', () =>
    telephone(stage()))
  it('shows every change without a reload, through one connection', () => withoutReload(stage()))
  it('reports a lost connection, retries with growing delays, and catches up afterwards', () =>
    reconnecting(stage()))
  it('shows QR codes from the stream, and by polling where the stream is blocked', () =>
    codes(stage()))
})
