// Every failure on every page: explained in words, nothing blank, nothing thrown, and recovered by a retry.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openPage } from '../kit/browser.ts'
import {
  connectByApi,
  describePanel,
  makeThings,
  openWithin,
  poster,
  type Stage,
} from '../kit/panel.ts'

type Fault = { says: string; answer: (route: Route) => Promise<void> }
const refuse =
  (status: number, code: string, message: string, reason?: string) =>
  (route: Route): Promise<void> =>
    route.fulfill({
      status,
      headers: {
        'x-request-id': 'req_x',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        error: {
          code,
          message,
          ...(reason ? { reason } : {}),
        },
      }),
    })
const MISSING = 'not found'
const FAULTS: Record<string, Fault> = {
  'a fault of ours': {
    says: 'erro interno',
    answer: refuse(500, 'INTERNAL_ERROR', 'erro interno'),
  },
  'no credits': {
    says: 'créditos insuficientes',
    answer: refuse(402, 'PAYMENT_REQUIRED', 'créditos insuficientes', 'INSUFFICIENT_CREDITS'),
  },
  'not allowed': {
    says: 'Peça a um Dono ou Admin para mudar sua função',
    answer: refuse(403, 'FORBIDDEN', 'seu papel não permite esta ação'),
  },
  [MISSING]: { says: 'não encontrado', answer: refuse(404, 'NOT_FOUND', 'não encontrado') },
  'too much': {
    says: 'O limite é renovado à meia-noite (horário de Brasília)',
    answer: refuse(429, 'RATE_LIMITED', 'limite diário', 'DAILY_CAP_REACHED'),
  },
  'a gateway’s page': {
    says: 'O servidor respondeu 502',
    answer: (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad' }),
  },
  malformed: {
    says: 'O servidor respondeu algo que não entendemos',
    answer: (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: '{"items":[' }),
  },
  offline: { says: 'Sem conexão com o servidor', answer: (route) => route.abort() },
}
const FIRST = 'a fault of ours'
/** The requests that each page needs to show anything. */
const PAGES: Record<string, string> = {
  inicio: '**/v1/instances*',
  instancias: '**/v1/instances*',
  conversas: '**/v1/**/conversations*',
  grupos: '**/v1/**/groups*',
  etiquetas: '**/v1/**/labels*',
  chamadas: '**/v1/**/calls*',
  campanhas: '**/v1/campaigns*',
  chaves: '**/v1/keys*',
  webhooks: '**/v1/webhooks*',
  requisicoes: '**/panel/api/test/requests*',
  telefone: '**/simulator/phones*',
  caixa: '**/simulator/inboxes*',
  uso: '**/panel/api/test/usage*',
  plano: '**/panel/api/plan',
  equipe: '**/panel/api/members',
  auditoria: '**/panel/api/audit*',
  'configuracoes?aba=seguranca': '**/panel/api/sessions',
  'configuracoes?aba=notificacoes': '**/panel/api/alerts',
  'plano/faturas/in_1': '**/panel/api/plan/invoices',
  'instancias/{id}': '**/v1/instances/{id}',
  'instancias/{id}/mensagens': '**/v1/instances/{id}/messages*',
  'webhooks/{webhook}': '**/webhooks/{webhook}/events*',
  'campanhas/{campaign}': '**/v1/campaigns/{campaign}',
}
/** Maximum wait for an automatic retry. */
const RETRIED_MS = 10_000

async function onEachPage(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  const ids: Record<string, string> = { id, ...(await makeThings(page, stage.origin, id)) }
  const own = (text: string) => text.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? '')
  const thrown: string[] = []
  page.on('pageerror', (error) => thrown.push(error.message))
  await page.clock.install()
  for (const [place, route] of Object.entries(PAGES)) {
    const [name, pattern] = [own(place), own(route)]
    let fault = FAULTS[FIRST]
    const again = page.getByRole('alert').getByRole('button', { name: 'Tentar de novo' })
    await page.route(pattern, (route) => fault?.answer(route) ?? route.continue())
    await page.goto(`/teste/${name}`)
    for (const [what, injected] of Object.entries(FAULTS)) {
      fault = injected
      // The page for what does not exist offers no retry.
      if (what !== FIRST && (await again.count()) === 0) await page.reload()
      else if (what !== FIRST) await again.first().click()
      const alert = (what === MISSING ? page.getByRole('main') : page.getByRole('alert'))
        .filter({ hasText: injected.says })
        .first()
      await waitOnClock(page, () => alert.isVisible(), `${name}: ${what} is not said`)
      // The rest of the page works.
      assert.ok(await page.getByRole('link', { name: 'Webhooks' }).first().isVisible())
    }
    fault = undefined
    await page.clock.runFor(RETRIED_MS)
    while ((await again.count()) > 0) {
      await again
        .first()
        .click({ timeout: 2000 })
        .catch(() => {})
      await page.clock.runFor(500)
    }
    assert.equal(await page.getByRole('alert').count(), 0, `${name} does not come back`)
    await page.unroute(pattern)
  }
  assert.deepEqual(thrown, [])
  await context.close()
}

/** Advances the page's clock until the condition holds. */
async function waitOnClock(page: Page, so: () => Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < 300; look++) {
    if (await so()) return
    await page.clock.runFor(500)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.fail(what)
}

async function slowAndStale(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.clock.install()
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/v1/keys*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/teste/chaves')
  // A slow request shows a skeleton of its content.
  await page.locator('.skeleton').waitFor()
  release()
  await page.getByText('Crie a primeira chave').waitFor()
  await page.unroute('**/v1/keys*')

  // Data that cannot be refreshed stays, with its age.
  await page.route('**/v1/keys*', FAULTS[FIRST]?.answer ?? (() => {}))
  await page.clock.runFor(120_000)
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('link', { name: 'Chaves de API' }).click()
  await waitOnClock(
    page,
    () => page.getByText(/Atualizado há 2/).isVisible(),
    'its age is not said',
  )
  assert.ok(await page.getByText('Crie a primeira chave').isVisible())
  await page.unroute('**/v1/keys*')
  await page.getByRole('button', { name: 'Tentar de novo' }).click()
  await page.getByText(/Atualizado há/).waitFor({ state: 'detached' })
  await context.close()
}

/** Browsers drop the fraction of a timer's delay, so that it can fire before the clock has reached its time. */
async function earlyTimers(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.addInitScript(`{
    const start = setTimeout
    globalThis.setTimeout = (run, delay = 0, ...rest) => start(run, delay - 20, ...rest)
  }`)
  await page.route('**/v1/keys*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 250))
    await route.continue()
  })
  for (let visit = 0; visit < 3; visit++) {
    await page.goto('/teste/chaves')
    await page.getByText('Crie a primeira chave').waitFor({ timeout: 5000 })
  }
  await context.close()
}

async function withoutInternet(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/equipe')
  await page.getByRole('table').waitFor()
  await page.evaluate("dispatchEvent(new Event('offline'))")
  await page.getByRole('link', { name: 'Chaves de API' }).click()
  await page.getByText('Crie a primeira chave').waitFor({ timeout: 5000 })
  await context.close()
}

async function signedOut(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/equipe')
  await page.getByRole('table').waitFor()
  const link = await page.getByRole('link', { name: 'Auditoria' }).elementHandle()
  await context.clearCookies()
  // A poll may sign the page out first, so the click must not wait for a link that is gone.
  await link?.evaluate((element) => (element as unknown as { click(): void }).click())
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  await page.getByText('Sua sessão expirou').waitFor()
  // The way back is kept.
  assert.match(page.url(), /volta=%2Fteste%2F/)
  await context.close()
}

async function noScript(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await page.goto('/teste/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  const script = /\/assets\/team-.*\.js/
  await page.route(script, (route) => route.abort())
  await openWithin(page, 'Conta', 'Equipe')
  await page.getByRole('heading', { name: 'Não foi possível abrir' }).waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().waitFor()
  await page.unroute(script)
  await page.getByRole('button', { name: 'Tentar de novo' }).click()
  await page.getByRole('table').waitFor()
  await context.close()
}

async function offlineClick(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  // Loaded neither in advance nor on hover.
  await page.route(/\/assets\/team-.*\.js/, (route) => route.abort())
  await page.goto('/teste/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  const loads: string[] = []
  page.on('framenavigated', (frame) => loads.push(frame.url()))
  await context.setOffline(true)
  await openWithin(page, 'Conta', 'Equipe')
  await page.getByRole('heading', { name: 'Não foi possível abrir' }).waitFor()
  await page.getByRole('alert').getByText('Sem conexão com o servidor').waitFor()
  await page.getByRole('button', { name: 'Tentar de novo' }).click()
  // The shell stays, and with it what was loaded before.
  await page.getByRole('link', { name: 'Início' }).first().click()
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  assert.deepEqual(
    loads.filter((url) => !url.startsWith(stage.origin)),
    [],
  )
  await page.unroute(/\/assets\/team-.*\.js/)
  await context.setOffline(false)
  await openWithin(page, 'Conta', 'Equipe')
  await page.getByRole('table').waitFor()
  await context.close()
}

async function offlineChat(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id, phone } = await connectByApi(page, stage.origin)
  const post = poster(stage, page)
  for (const name of ['Ana', 'Bia']) {
    const { id: phoneId } = await post('/simulator/phones', { name })
    await post(`/simulator/phones/${phoneId}/messages`, { to: phone, text: `Sou ${name}` })
  }
  await page.goto(`/teste/conversas?instancia=${id}`)
  await page.locator('.inbox-rows button', { hasText: 'Ana' }).click()
  await page.getByRole('log').getByText('Sou Ana').waitFor()
  await context.setOffline(true)
  await page.locator('.inbox-rows button', { hasText: 'Bia' }).click()
  await page.getByRole('button', { name: 'Tentar de novo' }).first().waitFor()
  // The field to write in stays in the window.
  const height = await page.evaluate('document.documentElement.scrollHeight - innerHeight')
  assert.equal(height, 0)
  await context.setOffline(false)
  // It comes back by itself.
  await page.getByRole('log').getByText('Sou Bia').waitFor({ timeout: 20_000 })
  await context.close()
}

async function withoutPart(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const script = /\/assets\/palette-.*\.js/
  await page.route(script, (route) => route.abort())
  await page.goto('/teste/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  let loads = 0
  page.on('load', () => loads++)
  // The server responds, so it may have been upgraded: the panel is reloaded, once.
  await page.keyboard.press('Control+k')
  await page.waitForEvent('load')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  await page.keyboard.press('Control+k')
  const fault = page.getByRole('alert').filter({ hasText: 'uma parte do painel' })
  await fault.waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().waitFor()
  assert.equal(loads, 1)
  await page.unroute(script)
  await fault.getByRole('button', { name: 'Tentar de novo' }).click()
  await page.getByRole('dialog', { name: 'Buscar no painel' }).waitFor()
  assert.equal(loads, 1)
  await context.close()
}

async function loadedAhead(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const scripts = new Set<string>()
  page.on('response', (response) => {
    const [, name] = /\/assets\/(\w+)-.*\.js/.exec(response.url()) ?? []
    if (name) scripts.add(name)
  })
  await page.goto('/teste/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  while (!scripts.has('settings')) await page.waitForEvent('response')
  for (const name of ['team', 'webhooks', 'campaigns']) assert.ok(scripts.has(name), name)
  await context.close()
}

async function lost(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  await page.goto('/teste/nada-disso')
  await page.getByText('Página não encontrada').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Buscar no painel' }).click()
  await page.getByRole('dialog', { name: 'Buscar no painel' }).waitFor()
  await page.keyboard.press('Escape')
  // What is in the other mode is found there.
  for (const path of [`instancias/${id}`, `instancias/${id}/mensagens`]) {
    await page.goto(`/producao/${path}`)
    await page.getByText('Este item está no modo Teste').waitFor()
    await page.getByRole('link', { name: 'Abrir' }).click()
    await page.getByRole('heading', { name: /Minha loja/ }).waitFor()
  }
  for (const path of ['instancias/ins_x', 'webhooks/whk_x', 'campanhas/cmp_x']) {
    await page.goto(`/teste/${path}`)
    await page.getByText('Página não encontrada').waitFor()
    await page.getByText(/não encontrad.*Confira o endereço/).waitFor()
    // What does not exist does not appear by trying again.
    assert.equal(await page.getByRole('button', { name: 'Tentar de novo' }).count(), 0)
    await page.getByRole('link', { name: 'Ir para o início' }).click()
    await page.getByRole('heading', { name: 'Início' }).waitFor()
  }
  await context.close()
}

async function shut(stage: Stage): Promise<void> {
  const { page, context, projectId } = await stage.enter()
  const { id } = await connectByApi(page, stage.origin)
  // Without a subscription production can be read, and says what opens it.
  await page.goto('/producao/inicio')
  const plan = page.getByRole('listitem').filter({ hasText: 'Assinar um plano' })
  await plan.getByText('a fazer').waitFor()
  await plan.getByRole('link').click()
  await page.getByRole('heading', { name: 'Meu plano' }).waitFor()
  await page.goto('/producao/instancias')
  await page.getByRole('link', { name: /Assine um plano/ }).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Nova instância' }).isDisabled())
  await page.goto('/producao/campanhas')
  await page.getByRole('link', { name: /Assine um plano/ }).waitFor()
  // What needs no subscription is not shut.
  await page.goto('/producao/webhooks')
  await page.getByRole('link', { name: 'Criar webhook' }).first().waitFor()
  await stage.ops('subscription', 'set', '--project', projectId, '--status', 'active')
  await page.goto('/producao/inicio')
  await plan.getByText('feito').waitFor()
  await page.goto('/producao/campanhas')
  await page.getByRole('link', { name: /disparo em massa/ }).waitFor()

  await stage.ops('project', 'usage-mode', '--project', projectId, '--mode', 'CRM')
  await page.goto('/producao/chaves')
  await page.getByText('Só para desenvolvedores').waitFor()
  await stage.ops('project', 'usage-mode', '--project', projectId, '--mode', 'API')
  await page.goto(`/teste/instancias/${id}/mensagens`)
  await page.getByText('Este projeto envia só pela API').waitFor()
  await stage.ops('project', 'usage-mode', '--project', projectId, '--mode', 'BOTH')

  await stage.ops('project', 'suspend', '--project', projectId)
  await page.goto('/teste/conversas')
  await page.getByRole('heading', { name: 'Projeto suspenso' }).waitFor()
  await page.getByRole('link', { name: 'Meu plano' }).last().click()
  await page.getByText('O projeto está suspenso').waitFor()
  await stage.ops('project', 'activate', '--project', projectId)
  await context.close()
}

/** Sits between the page and the server, and says that the person has this role. */
const as = (page: Page, role: string) =>
  page.route('**/panel/api/me', async (route) => {
    const answer = await route.fetch()
    const me = (await answer.json()) as object
    return route.fulfill({ response: answer, json: { ...me, role } })
  })

async function notForYou(stage: Stage): Promise<void> {
  const { page, context, email } = await stage.enter()
  await as(page, 'Atendente')
  for (const path of [
    'chaves',
    'webhooks',
    'webhooks/novo',
    'requisicoes',
    'auditoria',
    'campanhas/nova',
  ]) {
    await page.goto(`/teste/${path}`)
    await page
      .getByRole('heading', { name: 'Esta página não está disponível para sua função' })
      .waitFor()
    await page.getByText('Peça a um Dono ou Admin para mudar').waitFor()
  }
  await page.goto('/teste/conversas')
  await page.getByRole('heading', { name: 'Conversas' }).waitFor()
  await page.unroute('**/panel/api/me')
  // On the sign-in page there is no role that could be the reason.
  await page.route('**/v1/auth/login', (route) =>
    refuse(403, 'FORBIDDEN', 'confirme seu e-mail antes de entrar')(route),
  )
  await page.goto('/entrar')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Senha').fill('uma senha bem longa')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.getByText('confirme seu e-mail antes de entrar').waitFor()
  assert.equal(await page.getByText('mudar sua função').count(), 0)
  await context.close()
}

async function superseded(stage: Stage): Promise<void> {
  const { page, context, email } = await stage.enter()
  // What the bell asks for is the last request of a page that opens.
  const opened = page.waitForResponse(/conversations\?unread=true/)
  await page.goto('/teste/equipe')
  await page.getByRole('table').waitFor()
  await opened
  const other = await openPage(stage.browser, stage.origin)
  await other.page.request.post(`${stage.origin}/v1/auth/login`, {
    data: { email, password: 'uma senha bem longa' },
    headers: { 'x-time-zone': 'America/Sao_Paulo' },
  })
  // Said at once, before anything is clicked.
  await page.getByRole('heading', { name: 'Sua sessão foi aberta em outro dispositivo' }).waitFor()
  // The time, the browser and the approximate location.
  await page.getByText(/Horário.*Brasília/).waitFor({ timeout: 5000 })
  await page.getByText(/Chrome.*Linux/).waitFor({ timeout: 5000 })
  await page.getByRole('link', { name: 'Usar aqui' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Senha').fill('uma senha bem longa')
  await page.getByRole('button', { name: 'Entrar' }).click()
  // Back where one was.
  await page.waitForURL(/\/teste\/equipe/)
  await context.close()
  await other.context.close()
}

describePanel('failures in the panel', (stage) => {
  it('says that a page is not for a role, and who can grant access', () => notForYou(stage()))
  it('explains each failure on each page, keeps the rest working, and recovers on a retry', () =>
    onEachPage(stage()))
  it('shows a skeleton while data loads, and the age of data that cannot be refreshed', () =>
    slowAndStale(stage()))
  it('replaces a skeleton with its data though timers fire early', () => earlyTimers(stage()))
  it('loads pages from a local server while the browser has no internet access', () =>
    withoutInternet(stage()))
  it('sends a signed-out user to the sign-in page and back again', () => signedOut(stage()))
  it('says that the script of a page did not load, and offers a retry', () => noScript(stage()))
  it('says so inside the shell when a page that was not loaded is opened without a connection', () =>
    offlineClick(stage()))
  it('loads a conversation that was opened offline as soon as there is a connection', () =>
    offlineChat(stage()))
  it('keeps the page when a part of it cannot be loaded, and loads that part on a retry', () =>
    withoutPart(stage()))
  it('loads the scripts of all pages once the first one is done', () => loadedAhead(stage()))
  it('looks in the other mode for what is not in this one', () => lost(stage()))
  it('says why something is unavailable, and what makes it available', () => shut(stage()))
  it('says that the session was opened elsewhere, and takes it back', () => superseded(stage()))
})
