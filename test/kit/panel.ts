import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import {
  findChromium,
  launchBrowser,
  NO_CHROMIUM,
  openPage,
  takeComplaints,
  type Watched,
} from './browser.ts'
import { startNameServer } from './dns.ts'
import { findPort, makePreparedDataDir, removeDataDir, run } from './process.ts'

/** Password of every user that the browser tests create. */
export const PASSWORD = 'uma senha bem longa'

/** A real server that serves the built panel, and a browser to test it. */
export type Stage = {
  browser: Browser
  origin: string
  dataDir: string
  /** Runs an operator command on this server; resolves with its output. */
  ops(...args: string[]): Promise<string>
  /** Opens a page in a fresh profile, signed in as the owner of a new company. */
  enter(options?: Parameters<typeof openPage>[2]): Promise<Watched & Company>
  /** The server's log so far. */
  log(): string
  close(): Promise<void>
}
/** A company created by `enter`. */
export type Company = { email: string; projectId: string }

/**
 * Declares tests of the panel that share one server and one browser. After each test, asserts that no page reported an
 * error. Skipped where no Chromium is installed.
 */
export function describePanel(
  name: string,
  declare: (stage: () => Stage) => void,
  /** Settings of the server, read when it starts. */
  settings: () => Promise<Record<string, string>> = async () => ({}),
): void {
  const chromium = findChromium()
  describe(name, { skip: chromium ? false : NO_CHROMIUM, timeout: 600_000 }, () => {
    let stage: Stage
    before(async () => {
      if (chromium) stage = await openStage(chromium, await settings())
    })
    after(() => stage.close())
    afterEach(() => assert.deepEqual(takeComplaints(), []))
    declare(() => stage)
  })
}

/** Starts a server with the panel built before and launches the browser at `chromium`. */
export async function openStage(
  chromium: string,
  settings: Record<string, string> = {},
): Promise<Stage> {
  const dataDir = makePreparedDataDir()
  const port = await findPort()
  const origin = `http://localhost:${port}`
  // No name exists, on every machine: a delivery to one fails at once instead of waiting for name servers.
  const names = await startNameServer()
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'debug',
    EGRESS_DNS: names.address,
    PRODUCTION_NETWORK: 'simulator',
    ...settings,
  }
  const server = run('src/main.ts', [], env)
  await server.says('Recado está no ar.')
  const browser = await launchBrowser(chromium)
  let made = 0

  /** Creates a company through the API, for tests that start signed in. */
  async function signUp(page: Page): Promise<Company> {
    const email = `bia-${++made}@empresa.com.br`
    const post = (path: string, data: object) => page.request.post(`${origin}${path}`, { data })
    await post('/panel/api/signup', {
      company: 'Padaria',
      taxId: '11222333000181',
      email,
      password: PASSWORD,
    })
    const token = new URL(await linkTo(dataDir, email)).searchParams.get('token')
    await post('/panel/api/confirm-email', { token })
    const me = (await (await page.request.get(`${origin}/panel/api/me`)).json()) as Company
    return { email, projectId: me.projectId }
  }
  return {
    browser,
    origin,
    dataDir,
    log: server.output,
    async ops(...args) {
      return (await run('src/cli.ts', args, env).ended).output
    },
    async enter(options) {
      const watched = await openPage(browser, origin, options)
      return {
        ...watched,
        ...(await signUp(watched.page)),
      }
    },
    async close() {
      await browser.close()
      server.child.kill('SIGTERM')
      await server.ended
      names.close()
      removeDataDir(dataDir)
    },
  }
}

/** Waits for a mail to `email` and returns the link in the newest one. */
export async function linkTo(dataDir: string, email: string): Promise<string> {
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

/** Milliseconds to find and press an element, and to type one character. */
export type Pace = { find: number; letter: number }

/** Clicks and fills fields by their visible names and counts both; as fast as possible, or at the given pace. */
export function hand(page: Page, pace: Pace | null = null) {
  const count = { clicks: 0, fields: 0 }
  const find = () => (pace ? page.waitForTimeout(pace.find) : null)
  return {
    count,
    async click(name: string | Locator, role: 'button' | 'link' = 'button') {
      count.clicks++
      const named = typeof name === 'string' ? page.getByRole(role, { name, exact: true }) : name
      const what = named.first()
      await what.waitFor()
      await find()
      await what.click()
    },
    async fill(label: string, value: string) {
      count.fields++
      const field = page.getByLabel(label, { exact: true })
      await field.waitFor()
      await find()
      if (pace) await field.pressSequentially(value, { delay: pace.letter })
      else await field.fill(value)
    },
  }
}

/** Labels and values of the sign-up form. */
export const signUpFields = (email: string): [label: string, value: string][] => [
  ['Empresa', 'Padaria'],
  ['CNPJ', '11.222.333/0001-81'],
  ['E-mail', email],
  ['Senha', PASSWORD],
]

/** Goes from sign-up to the first message on a webhook through the pages. Returns the number of clicks and fields. */
export async function walkFirstRun(
  page: Page,
  { email, dataDir, pace = null }: { email: string; dataDir: string; pace?: Pace | null },
) {
  const { click, fill, count } = hand(page, pace)
  await page.goto('/criar-conta')
  for (const [label, value] of signUpFields(email)) await fill(label, value)
  await click('Criar conta')
  await page.getByRole('heading', { name: 'Confirme seu e-mail' }).waitFor()
  // Without a mail server, the panel shows mails to local requests.
  await click('Abrir o e-mail de confirmação', 'link')
  await click(page.locator('article', { hasText: email }).getByRole('link'))
  assert.equal(page.url(), await linkTo(dataDir, email))
  await click('Confirmar meu e-mail')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  count.clicks += await connect(page, pace)
  await click('Criar webhook', 'link')
  await click('Usar o receptor de teste')
  await page.getByLabel('URL').and(page.locator('[value*="/caixa/"]')).waitFor()
  await click('Criar')
  await click('Já salvei o segredo')
  await click('Celular virtual', 'link')
  await page
    .getByLabel('Mensagem')
    .waitFor()
    .catch(async (cause: unknown) => {
      const shown = await page.locator('main').innerText()
      throw new Error(`the page of the virtual phone shows no field to write: ${shown}`, { cause })
    })
  await click('Enviar')
  await click('Receptor de teste', 'link')
  await page.getByText('message.received', { exact: true }).first().waitFor()
  return count
}

/** Creates an instance in the panel and pairs it with a virtual phone. Returns the number of clicks. */
export async function connect(page: Page, pace: Pace | null = null): Promise<number> {
  const { click, count } = hand(page, pace)
  await click('Instâncias', 'link')
  await click('Nova instância')
  await click('Criar')
  await click('Ler com o celular virtual')
  await page.getByText('Minha loja está conectada').waitFor({ timeout: 10_000 })
  return count.clicks
}

/** Creates and pairs an instance through the API, for tests that start with a connected one. */
export async function connectByApi(
  page: Page,
  origin: string,
): Promise<{ id: string; phone: string }> {
  const headers = { 'x-recado-panel': '1' }
  const post = async (path: string, data?: object) => {
    const answer = await page.request.post(`${origin}/panel/api/test/v1${path}`, {
      headers,
      ...(data ? { data } : {}),
    })
    return (await answer.json()) as { id: string; phone: string; waMessageId?: string }
  }
  const get = async (path: string) =>
    (await (await page.request.get(`${origin}/panel/api/test/v1${path}`)).json()) as {
      status: string
      code: string | null
      phone: string
    }
  const { id } = await post('/instances', { name: 'Minha loja' })
  let polled = await get(`/instances/${id}/qr/poll`)
  while (!polled.code) polled = await get(`/instances/${id}/qr/poll`)
  const phone = await post('/simulator/phones', { name: 'Minha loja', business: true })
  await post(`/simulator/phones/${phone.id}/scan`, { code: polled.code })
  while (polled.status !== 'CONNECTED') polled = await get(`/instances/${id}`)
  return { id, phone: polled.phone }
}

/** Creates one of each resource that has its own page, for a connected instance; returns their ids. */
export async function makeThings(page: Page, origin: string, instanceId: string) {
  const post = async (path: string, data: object) => {
    const headers = { 'x-recado-panel': '1' }
    const answer = await page.request.post(`${origin}/panel/api/test/v1${path}`, { headers, data })
    return ((await answer.json()) as { id: string }).id
  }
  const message = { type: 'text', text: 'Olá!' }
  const base = `/instances/${instanceId}`
  await post(`${base}/messages`, { to: '5511999990001', ...message })
  return {
    webhook: await post('/webhooks', { name: 'ERP', url: 'https://x.invalid/hook' }),
    unpaired: await post('/instances', { name: 'Filial' }),
    campaign: await post('/campaigns', { name: 'Novembro', instanceIds: [instanceId], message }),
    group: await post(`${base}/groups`, { subject: 'Obras', participants: ['5511999990001'] }),
  }
}

/** Signs out through the menu of the company and user. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Empresa e usuário' }).click()
  await page.getByRole('menuitem', { name: 'Sair' }).click()
  // Signing out loads the sign-in page, which would interrupt what a test opens next.
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
}

/** Opens a page that the menu shows below another one. */
export async function openWithin(
  page: Page,
  group: 'Conta' | 'Conversas',
  name: string,
): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: group, exact: true }).click()
  await menu.getByRole('link', { name, exact: true }).click()
}

/** Calls the API of test mode as the signed-in user. */
export const poster = (stage: Stage, page: Page) => async (path: string, data: object) => {
  const answer = await page.request.post(`${stage.origin}/panel/api/test/v1${path}`, {
    headers: { 'x-recado-panel': '1' },
    data,
  })
  assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`)
  return (await answer.json()) as { id: string; phone: string; waMessageId?: string }
}
