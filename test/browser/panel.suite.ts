// The panel in a real browser, against the real server: the first run, pairing, faults, and everybody's access.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import jsqr from 'jsqr'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { buildPanel } from '../../src/build-panel.ts'
import { assertAccessible, launchBrowser, openPage } from '../kit/browser.ts'
import { findPort, makeDataDir, run, type Run } from '../kit/process.ts'

const PASSWORD = 'uma senha bem longa'
// A module that says that its function is what it exports.
const decodeQr = jsqr as unknown as typeof jsqr.default
const MOST_CLICKS = 16
const MOST_FIELDS = 7

let browser: Browser
let server: Run
let origin: string
const dataDir = makeDataDir()

export function addPanelSuite(chromium: string): void {
  before(async () => {
    await buildPanel()
    const port = await findPort()
    origin = `http://localhost:${port}`
    const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' }
    server = run('src/main.ts', [], { ...env, PRODUCTION_NETWORK: 'simulator' })
    await server.says('Recado está no ar.')
    browser = await launchBrowser(chromium)
  })
  after(async () => {
    await browser.close()
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(dataDir, { recursive: true, force: true })
  })

  describe('the panel', () => {
    it(
      'leads from the sign-up to the first message on a webhook, in few clicks and fields',
      firstRun,
    )
    it('shows a code that a camera reads, in both themes and at two widths', pairing)
    it('is accessible on every page, in both themes, at two widths and in both languages', access)
    it('sends, live, and runs a campaign out of a file', working)
    it('says what is wrong, and goes on when it is right again', faults)
    it('says that the session was opened elsewhere', superseded)
    it('shows a secret once, and keeps it nowhere', secrets)
  })
}

/** The newest mail to somebody, and the link in it. */
async function linkTo(email: string): Promise<string> {
  const dir = join(dataDir, 'mail')
  for (;;) {
    const mails = existsSync(dir) ? readdirSync(dir).toSorted().toReversed() : []
    for (const name of mails) {
      const text = readFileSync(join(dir, name), 'utf8')
        .replaceAll(/=\r?\n/g, '')
        .replaceAll('=3D', '=')
      const link = text.includes(email) ? /http:\/\/\S+token=\S+/.exec(text)?.[0] : undefined
      if (link) return link
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Clicks and fills as a person does, and counts it. */
function hand(page: Page) {
  const count = { clicks: 0, fields: 0 }
  return {
    count,
    async click(name: string, role: 'button' | 'link' = 'button') {
      count.clicks++
      await page.getByRole(role, { name, exact: true }).first().click()
    },
    async fill(label: string, value: string) {
      count.fields++
      await page.getByLabel(label, { exact: true }).fill(value)
    },
  }
}

let made = 0
/** A company that has signed up and in, on the first page. */
async function enter(
  page: Page,
): Promise<{ email: string; count: { clicks: number; fields: number } }> {
  const email = `ana-${++made}@empresa.com.br`
  const { click, fill, count } = hand(page)
  await page.goto('/criar-conta')
  await fill('Empresa', 'Padaria')
  await fill('CNPJ', '11.222.333/0001-81')
  await fill('E-mail', email)
  await fill('Senha', PASSWORD)
  await click('Criar conta')
  await page.getByRole('heading', { name: 'Confirme seu e-mail' }).waitFor()
  // On the machine where it runs, a server without a mail server shows its mails.
  await click('Caixa de e-mails', 'link')
  await page.locator('article', { hasText: email }).waitFor()
  await page.goto(await linkTo(email))
  count.clicks++
  await click('Confirmar meu e-mail')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  return { email, count }
}

async function connect(page: Page): Promise<number> {
  const { click, count } = hand(page)
  await click('Instâncias', 'link')
  await click('Nova instância')
  await click('Criar')
  await click('Ler com o telefone virtual')
  await page.getByText('Minha loja está conectada').waitFor({ timeout: 10_000 })
  return count.clicks
}

async function firstRun(): Promise<void> {
  const { page, context, complaints } = await openPage(browser, origin)
  const { count } = await enter(page)
  let clicks = count.clicks + (await connect(page))
  const { click, count: more } = hand(page)
  await click('Criar webhook', 'link')
  await click('Usar a Caixa de teste')
  await page.getByLabel('URL').and(page.locator('[value*="/caixa/"]')).waitFor()
  await click('Criar')
  await click('Guardei o segredo')
  await click('Telefone virtual', 'link')
  await page.getByLabel('Mensagem').waitFor()
  await click('Enviar')
  await click('Caixa de teste', 'link')
  await page.getByText('message.received', { exact: true }).first().waitFor()
  clicks += more.clicks
  assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks`)
  assert.ok(count.fields <= MOST_FIELDS, `${count.fields} fields`)
  await click('Início', 'link')
  await page.locator('li[data-done="true"]').nth(4).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function pairing(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      const viewport = { width, height: 900 }
      const { page, context, complaints } = await openPage(browser, origin, {
        colorScheme,
        viewport,
      })
      await enter(page)
      await page.goto('/teste/instancias')
      await page.getByRole('button', { name: 'Nova instância' }).click()
      await page.getByRole('button', { name: 'Criar', exact: true }).click()
      const code = page.getByTestId('qr')
      await code.waitFor()
      const { data, width: w, height: h } = PNG.sync.read(await code.screenshot())
      const read = decodeQr(new Uint8ClampedArray(data), w, h)
      assert.match(read?.data ?? '', /^2@/, `${colorScheme} ${width}`)
      assert.deepEqual(complaints, [])
      await context.close()
    }
  }
}

const PUBLIC = ['/entrar', '/criar-conta', '/recuperar-senha', '/sessao-encerrada']
const PRIVATE = [
  ...[
    'inicio',
    'instancias',
    'conversas',
    'campanhas',
    'chaves',
    'webhooks',
    'eventos',
    'telefone',
    'caixa',
  ],
  ...['uso', 'plano', 'equipe', 'configuracoes', 'grupos', 'etiquetas', 'chamadas', 'auditoria'],
]

async function access(): Promise<void> {
  for (const locale of ['pt-BR', 'en-US']) {
    const { page, context, complaints } = await openPage(browser, origin, { locale })
    for (const path of PUBLIC) await assertGood(page, path, locale)
    await signUpByApi(page)
    for (const name of PRIVATE) await assertGood(page, `/teste/${name}`, locale)
    await assertGood(page, '/producao/plano', locale)
    assert.deepEqual(complaints, [])
    await context.close()
  }
}

/** A page as everybody needs it, in both themes and at two widths. */
async function assertGood(page: Page, path: string, locale: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.esqueleto').first().waitFor({ state: 'detached' })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      const what = `${path} ${locale} ${colorScheme} ${width}`
      await assertAccessible(page, what)
      const wide = await page.evaluate<boolean>(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      )
      assert.ok(!wide, `${what} is wider than its window`)
    }
  }
}

/** The same as `enter`, without the pages: for what begins behind the door. */
async function signUpByApi(page: Page): Promise<string> {
  const email = `bia-${++made}@empresa.com.br`
  const post = (path: string, data: object) => page.request.post(`${origin}${path}`, { data })
  await post('/panel/api/signup', {
    ...{ company: 'Padaria', taxId: '11222333000181', email, password: PASSWORD },
  })
  const token = new URL(await linkTo(email)).searchParams.get('token')
  await post('/panel/api/confirm-email', { token })
  await post('/v1/auth/login', { email, password: PASSWORD })
  return email
}

async function working(): Promise<void> {
  const { page, context, complaints } = await openPage(browser, origin)
  await signUpByApi(page)
  await page.goto('/teste/inicio')
  await connect(page)
  await page.getByRole('link', { name: 'Mensagens' }).click()
  await page.getByLabel('Para', { exact: true }).fill('+55 11 98888-7777')
  await page.getByLabel('Texto', { exact: true }).fill('Olá, Ana!')
  await page.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('cell', { name: 'Olá, Ana!' }).waitFor()
  // It comes to its end on the screen without anybody's doing.
  await page.getByText('entregue', { exact: true }).waitFor()
  await page.getByText('1 de 100 mensagens hoje').waitFor()
  await assertAccessible(page, 'an instance')

  await page.getByRole('link', { name: 'Telefone virtual' }).click()
  await page.getByLabel('Mensagem').fill('Vocês abrem domingo?')
  await page.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('link', { name: 'Conversas' }).click()
  await page.getByRole('button', { name: /Vocês abrem domingo/ }).click()
  await page.getByLabel('Mensagem').fill('Sim, das 8 às 12.')
  await page.getByRole('button', { name: 'Enviar' }).click()
  await page.getByRole('log').getByText('Sim, das 8 às 12.').waitFor()
  await page.getByRole('log').getByText('entregue').waitFor()
  await assertAccessible(page, 'a conversation')
  await page.getByRole('link', { name: 'Telefone virtual' }).click()
  await page.getByRole('log').getByText('Sim, das 8 às 12.').waitFor()

  for (const [name, text] of [
    ['Grupos', 'Nenhum grupo'],
    ['Etiquetas', 'Nenhuma etiqueta'],
    ['Chamadas', 'Nenhuma chamada'],
  ] as const) {
    await page.getByRole('link', { name }).click()
    await page.getByText(text).waitFor()
  }

  await page.getByRole('link', { name: 'Campanhas' }).click()
  await page.getByRole('button', { name: 'Nova campanha' }).click()
  await page.getByLabel('Nome').fill('Novembro')
  await page.getByLabel('Intervalo mínimo (s)').fill('0')
  await page.getByLabel('Intervalo máximo (s)').fill('0')
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByRole('heading', { name: 'Novembro' }).waitFor()
  const list = 'telefone;nome\n5511977776666;Zé\nabc;Bia\n5511977776666;Zé\n5511955554444;Caê\n'
  const file = { name: 'lista.csv', mimeType: 'text/csv', buffer: Buffer.from(list, 'latin1') }
  await page.getByLabel('Arquivo CSV').setInputFiles(file)
  await page.getByRole('button', { name: 'Acrescentar' }).click()
  await page.getByText('2 acrescentados, 1 repetidos, 1 inválidos').waitFor()
  await page.getByText('Linha 3 (abc): número inválido').waitFor()
  await assertAccessible(page, 'a campaign')
  await page.getByRole('button', { name: 'Iniciar' }).click()
  const state = page.locator('[aria-live=polite]').first()
  await state.getByText(/em andamento|concluída/).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

async function faults(): Promise<void> {
  const { page, context } = await openPage(browser, origin)
  await signUpByApi(page)
  const cases: [number, string, string][] = [
    [500, 'INTERNAL_ERROR', 'erro interno'],
    [503, 'UNAVAILABLE', 'banco de dados indisponível: tente de novo em instantes'],
    [403, 'FORBIDDEN', 'seu papel não permite esta ação'],
    [429, 'RATE_LIMITED', 'limite diário do modo de teste atingido (100 mensagens)'],
  ]
  for (const [status, code, message] of cases) {
    const broken = '**/panel/api/test/v1/keys'
    await page.route(broken, (route) =>
      route.fulfill({
        ...{ status, headers: { 'x-request-id': 'req_x', 'content-type': 'application/json' } },
        body: JSON.stringify({ error: { code, message } }),
      }),
    )
    await page.goto('/teste/chaves')
    const block = page.getByRole('alert')
    await block.getByText(message).waitFor({ timeout: 15_000 })
    await block.getByText(`${code} · requisição req_x`).waitFor()
    // The rest of the page works.
    await page.getByRole('link', { name: 'Webhooks' }).waitFor()
    await page.unroute(broken)
    await block.getByRole('button', { name: 'Tentar de novo' }).click()
    await page.getByText('Crie a primeira chave').waitFor()
  }
  await page.goto('/teste/nada-disso')
  await page.getByText('Página não encontrada').waitFor()
  await context.close()
}

async function superseded(): Promise<void> {
  const { page, context } = await openPage(browser, origin)
  const email = await signUpByApi(page)
  await page.goto('/teste/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  const other = await openPage(browser, origin)
  await other.page.request.post(`${origin}/v1/auth/login`, { data: { email, password: PASSWORD } })
  // At the latest when the live stream looks again; or as soon as anything is asked for.
  await page.reload()
  await page.getByRole('heading', { name: 'Sua sessão foi aberta em outro dispositivo' }).waitFor()
  await context.close()
  await other.context.close()
}

async function secrets(): Promise<void> {
  const { page, context } = await openPage(browser, origin)
  await signUpByApi(page)
  await page.goto('/teste/chaves')
  await page.getByRole('button', { name: 'Criar chave' }).click()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  const secret = await page.locator('dialog pre').first().innerText()
  assert.match(secret, /^svc_test_\w{40}$/)
  await page.keyboard.press('Escape')
  assert.equal(await page.getByRole('dialog').isVisible(), true)
  await page.getByRole('button', { name: 'Guardei a chave' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const kept = await page.evaluate<string>(
    "[document.documentElement.outerHTML, ...Object.values(localStorage)].join(' ')",
  )
  assert.ok(!kept.includes(secret))
  await context.close()
}
