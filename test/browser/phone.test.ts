// The virtual phone: the other side of every conversation, without a real phone.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { assertAccessible, findChromium, launchBrowser, openPage } from '../kit/browser.ts'
import { connectByApi, describePanel, type Stage, openWithin } from '../kit/panel.ts'

const HEADERS = { 'x-recado-panel': '1' }
const [WIDTH, HEIGHT, MODULE] = [640, 480, 8]

/** A film of one picture, as a camera that looks at the code would make it: grey levels alone. */
function filmOf(code: string): Buffer {
  const { data } = encode(code, { border: 4 })
  const side = data.length * MODULE
  const [left, top] = [(WIDTH - side) >> 1, (HEIGHT - side) >> 1]
  const luma = Buffer.alloc(WIDTH * HEIGHT, 235)
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (!dark) return
      for (let line = 0; line < MODULE; line++) {
        const from = (top + y * MODULE + line) * WIDTH + left + x * MODULE
        luma.fill(16, from, from + MODULE)
      }
    })
  })
  const chroma = Buffer.alloc((WIDTH * HEIGHT) / 2, 128)
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, chroma])
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420\n`
  return Buffer.concat([Buffer.from(head), frame, frame])
}

/** Creates a phone, and waits until the page shows it. */
async function addPhone(page: Page): Promise<void> {
  const before = page.url()
  await page.getByRole('button', { name: 'Novo celular' }).click()
  await page.waitForURL(({ href }) => href !== before)
}

async function camera(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const call = async (method: 'get' | 'post', path: string, data?: object) => {
    const answer = await page.request[method](`${stage.origin}/panel/api/test/v1${path}`, {
      headers: HEADERS,
      ...(data ? { data } : {}),
    })
    return (await answer.json()) as { id: string; code: string | null; status: string }
  }
  const { id } = await call('post', '/instances', { name: 'Minha loja' })
  let code: string | null = null
  while (!code) ({ code } = await call('get', `/instances/${id}/qr/poll`))
  const dir = mkdtempSync(join(tmpdir(), 'recado-film-'))
  const film = join(dir, 'code.y4m')
  writeFileSync(film, filmOf(code))
  const seeing = await launchBrowser(findChromium() ?? '', [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ])
  const state = await context.storageState()
  await context.close()
  try {
    const own = await openPage(seeing, stage.origin, { storageState: state })
    await own.page.goto('/teste/telefone')
    await own.page.getByText('Ler um código QR').first().click()
    await own.page.getByRole('button', { name: 'Usar a câmera' }).click()
    await own.page
      .getByRole('region', { name: 'conectado a uma instância' })
      .waitFor({ timeout: 20_000 })
    assert.deepEqual(own.complaints, [])
  } finally {
    await seeing.close()
    rmSync(dir, { recursive: true })
  }

  // A page without access to the camera says so, and offers the alternative.
  const blind = await openPage(stage.browser, stage.origin, { storageState: state })
  await blind.page.goto('/teste/telefone')
  await addPhone(blind.page)
  await blind.page.getByText('Ler um código QR').first().click()
  // The browser of these tests has a camera beside its microphone.
  await blind.page.evaluate(
    "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'))",
  )
  await blind.page.getByRole('button', { name: 'Usar a câmera' }).click()
  await blind.page.getByText('A câmera não abriu').waitFor()
  await blind.context.close()
}

async function device(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)

  // A message of the phone has two ticks, and shows when it was read.
  await page.goto('/teste/telefone')
  await page.getByLabel('Mensagem').fill('Tem pão?')
  await page.getByRole('button', { name: 'Enviar' }).click()
  const bubble = page.locator('[data-mine=true]', { hasText: 'Tem pão?' })
  await bubble.getByText('entregue').waitFor()
  const { items } = (await (
    await page.request.get(`${stage.origin}/panel/api/test/v1/instances/${id}/messages`)
  ).json()) as { items: { waMessageId: string }[] }
  await page.request.post(`${stage.origin}/panel/api/test/v1/instances/${id}/messages/read`, {
    headers: HEADERS,
    data: { waMessageIds: items.map(({ waMessageId }) => waMessageId) },
  })
  await bubble.getByText('lida').waitFor()

  // The phone creates a group, another phone joins it, and the page of groups shows both.
  await page
    .getByRole('region', { name: 'Conversa' })
    .getByRole('button', { name: 'Ações' })
    .click()
  await page.getByRole('menuitem', { name: 'Criar grupo' }).click()
  await page.getByLabel('Conversa com').selectOption({ label: 'Grupo de teste' })
  await addPhone(page)
  await page.locator('option', { hasText: 'Bruno' }).first().waitFor({ state: 'attached' })
  const chosen = await page.getByLabel('Celulares').locator('option').allInnerTexts()
  const ana = chosen.findIndex((text) => text.startsWith('Ana'))
  await page.getByLabel('Celulares').selectOption({ index: ana })
  await page.getByLabel('Conversa com').selectOption({ label: 'Grupo de teste' })
  await page.getByLabel('Quem entra no grupo').selectOption({ index: 0 })
  await page.getByRole('button', { name: 'Adicionar' }).click()
  await page.getByLabel('Quem entra no grupo').waitFor({ state: 'detached' })
  await openWithin(page, 'Conversas', 'Grupos')
  // Within the table: the page before, which is shown until this one is loaded, lists a conversation of that name.
  const groups = page.getByRole('table', { name: 'Grupos' })
  await groups.getByRole('button', { name: 'Grupo de teste' }).click()
  const past = page.getByRole('region', { name: 'Histórico dos últimos 30 dias' })
  await past.getByText(/adicionado · Bruno/).waitFor()
  await page.reload()
  await past.getByText(/adicionado · Bruno/).click()
  await past.getByText('"add"').waitFor()

  await page.goto('/teste/telefone')
  await page.getByLabel('Celulares').waitFor()
  // The phone of the company has labels, which the instance receives.
  const phones = await page.getByLabel('Celulares').locator('option').allInnerTexts()
  const own = phones.findIndex((text) => text.includes('conectado a uma instância'))
  await page.getByLabel('Celulares').selectOption({ index: own })
  const labels = page.getByRole('region', { name: 'Etiquetas' })
  await labels.getByLabel('Nome').fill('Pago')
  await labels.getByRole('button', { name: 'Nova etiqueta' }).click()
  await labels.locator('summary', { hasText: 'Pago' }).click()
  await labels.getByLabel('Conversa com').selectOption({ label: await labelOf('Ana') })
  await labels.getByRole('button', { name: 'Salvar' }).last().click()
  async function labelOf(name: string) {
    const texts = await labels.getByLabel('Conversa com').locator('option').allInnerTexts()
    return texts.find((text) => text.startsWith(name)) ?? ''
  }
  await openWithin(page, 'Conversas', 'Etiquetas')
  await page.getByRole('link', { name: '1 conversa', exact: true }).waitFor()
  await page
    .getByText(/aplicada ·/)
    .first()
    .waitFor()
  await page.getByRole('cell', { name: 'Pago' }).click()
  await page.getByRole('dialog').getByLabel('Nome').fill('Pago em dia')
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('cell', { name: 'Pago em dia' }).waitFor()
  await page
    .getByText(/alterada · Pago em dia/)
    .first()
    .waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

/** A phone forms a community of its group, which the page of groups shows, and takes the group out again. */
async function community(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await connectByApi(page, stage.origin)
  const act = async (name: string) => {
    await page
      .getByRole('region', { name: 'Conversa' })
      .getByRole('button', { name: 'Ações' })
      .click()
    const done = page.waitForResponse(
      (answer) =>
        answer.url().includes('/simulator/phones/') && answer.request().method() !== 'GET',
    )
    await page.getByRole('menuitem', { name }).click()
    assert.ok((await done).ok(), name)
  }
  const openGroup = async () => {
    await page.goto('/teste/telefone')
    await page.getByLabel('Conversa com').selectOption({ label: 'Grupo de teste' })
  }
  const rows = page.getByRole('table', { name: 'Grupos' }).getByRole('row')
  const rowOf = (subject: string) => rows.filter({ hasText: subject })
  await page.goto('/teste/telefone')
  await page.getByLabel('Mensagem').waitFor()
  await act('Criar grupo')
  await openGroup()
  await act('Criar comunidade com este grupo')
  await page.goto('/teste/grupos')
  await rowOf('é a comunidade').waitFor()
  await rowOf('Avisos de Comunidade de teste').waitFor()
  await rowOf('Grupo de teste').getByText('Comunidade de teste').waitFor()
  await rowOf('Grupo de teste').getByRole('button', { name: 'Grupo de teste' }).click()
  await page.getByText('Grupo da comunidade Comunidade de teste.').waitFor()
  await page.getByText(/^comunidade/).waitFor()
  await assertAccessible(page, 'a group of a community')
  await openGroup()
  await act('Tirar da comunidade')
  await page.goto('/teste/grupos')
  await rowOf('é a comunidade').waitFor()
  // The page may have loaded before the number learned of it.
  await rowOf('Grupo de teste').getByText('Comunidade de teste').waitFor({ state: 'hidden' })
  assert.deepEqual(complaints, [])
  await context.close()
}

async function pairedMeanwhile(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  // What a panel shows that does not know of the pairing yet.
  const phones = '**/panel/api/test/v1/simulator/phones'
  await page.route(
    phones,
    async (route) => {
      const response = await route.fetch()
      const { items, ...rest } = (await response.json()) as { items: { id: string }[] }
      const unpaired = items.map((phone) => ({ ...phone, pairedInstanceIds: [] }))
      await route.fulfill({ response, json: { items: unpaired, ...rest } })
    },
    { times: 1 },
  )
  await page.goto('/teste/telefone')
  await page.getByLabel('Mensagem').waitFor()
  const list = `${stage.origin}/panel/api/test/v1/simulator/phones`
  const { items } = (await (await page.request.get(list)).json()) as { items: { id: string }[] }
  assert.equal(items.length, 1)
  const data = { name: 'Loja do Centro' }
  await page.request.patch(`${list}/${items[0]?.id}`, { headers: HEADERS, data })
  await page.getByLabel('Celulares', { exact: true }).getByText('Loja do Centro').waitFor({
    state: 'attached',
  })
  await page.getByLabel('Mensagem').waitFor()
  await context.close()
}

async function pairedAfterLookup(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  let requests = 0
  await page.route('**/panel/api/test/v1/simulator/phones', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    const { items, ...rest } = (await response.json()) as { items: { id: string }[] }
    // The page loads it as paired; when it looks for a free one, the same phone seems to be free.
    const isLookup = ++requests === 2
    const shown = items.map((phone) => (isLookup ? { ...phone, pairedInstanceIds: [] } : phone))
    await route.fulfill({ response, json: { items: shown, ...rest } })
  })
  await page.goto('/teste/telefone')
  await page.getByLabel('Mensagem').waitFor()
  assert.ok(requests > 2)
  await context.close()
}

async function beside(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/teste/conversas')
  await page.getByText('Nenhuma conversa').waitFor()
  await page.getByRole('button', { name: 'Abrir celular' }).click()
  const sheet = page.getByRole('dialog', { name: 'Celular virtual' })
  await sheet.getByLabel('Mensagem', { exact: true }).fill('do lado de cá')
  await sheet.getByRole('button', { name: 'Enviar' }).click()
  await sheet.getByText('do lado de cá').waitFor()
  await assertAccessible(page, 'a phone beside the inbox')
  const row = page.locator('.inbox-rows button', { hasText: 'do lado de cá' })
  await row.click()
  await page.locator('.inbox').getByLabel('Mensagem', { exact: true }).fill('do lado de lá')
  await page.keyboard.press('Enter')
  await sheet.getByText('do lado de lá').waitFor()
  await page.keyboard.press('Escape')
  await context.close()
}

describePanel('the virtual phone', (stage) => {
  it('opens beside any page, so that both sides are seen at once', () => beside(stage()))
  it('reads a QR code with the camera, or says that there is none', () => camera(stage()))
  it('shows ticks, groups and labels, and keeps what happened to them', () => device(stage()))
  it('forms a community of a group, which the page of groups shows', () => community(stage()))
  it('creates a phone when the one that it shows turns out to be paired', () =>
    pairedMeanwhile(stage()))
  it('creates a phone when the one that it found is paired a moment later', () =>
    pairedAfterLookup(stage()))
})
