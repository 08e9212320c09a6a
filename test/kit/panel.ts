import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { buildPanel } from '../../src/build-panel.ts'
import { launchBrowser, openPage, type Watched } from './browser.ts'
import { findPort, makeDataDir, run } from './process.ts'

export const PASSWORD = 'uma senha bem longa'

/** A real server with the built panel, and a browser before it. */
export type Stage = {
  browser: Browser
  origin: string
  dataDir: string
  /** An operator's command on this server. */
  ops(...args: string[]): Promise<string>
  /** A page of a fresh profile, signed in as the owner of a new company. */
  enter(options?: Parameters<typeof openPage>[2]): Promise<Watched & Company>
  close(): Promise<void>
}
export type Company = { email: string; projectId: string }

export async function openStage(chromium: string): Promise<Stage> {
  await buildPanel()
  const dataDir = makeDataDir()
  const port = await findPort()
  const origin = `http://localhost:${port}`
  const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' }
  const server = run('src/main.ts', [], { ...env, PRODUCTION_NETWORK: 'simulator' })
  await server.says('Recado está no ar.')
  const browser = await launchBrowser(chromium)
  let made = 0

  /** Makes a company behind the pages: for what begins behind the door. */
  async function signUp(page: Page): Promise<Company> {
    const email = `bia-${++made}@empresa.com.br`
    const post = (path: string, data: object) => page.request.post(`${origin}${path}`, { data })
    await post('/panel/api/signup', {
      ...{ company: 'Padaria', taxId: '11222333000181', email, password: PASSWORD },
    })
    const token = new URL(await linkTo(dataDir, email)).searchParams.get('token')
    await post('/panel/api/confirm-email', { token })
    const me = (await (await page.request.get(`${origin}/panel/api/me`)).json()) as Company
    return { email, projectId: me.projectId }
  }
  return {
    ...{ browser, origin, dataDir },
    async ops(...args) {
      return (await run('src/cli.ts', args, env).ended).output
    },
    async enter(options) {
      const watched = await openPage(browser, origin, options)
      return { ...watched, ...(await signUp(watched.page)) }
    },
    async close() {
      await browser.close()
      server.child.kill('SIGTERM')
      await server.ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The newest mail to somebody, and the link in it. */
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

/** Clicks and fills as a person does, and counts it. */
export function hand(page: Page) {
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

/** Makes an instance and has a virtual telephone become it. */
export async function connect(page: Page): Promise<number> {
  const { click, count } = hand(page)
  await click('Instâncias', 'link')
  await click('Nova instância')
  await click('Criar')
  await click('Ler com o telefone virtual')
  await page.getByText('Minha loja está conectada').waitFor({ timeout: 10_000 })
  return count.clicks
}

/** The same by calls, for tests of what comes after. */
export async function connectByApi(
  page: Page,
  origin: string,
): Promise<{ id: string; phone: string }> {
  const headers = { 'x-recado-panel': '1' }
  const post = async (path: string, data?: object) => {
    const answer = await page.request.post(`${origin}/panel/api/test/v1${path}`, {
      ...{ headers, ...(data ? { data } : {}) },
    })
    return (await answer.json()) as { id: string; phone: string }
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
