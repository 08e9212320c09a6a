// Links in mails, the second factor, invitations; and secrets, which are shown once and never stored.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Route } from 'playwright-core'
import { openPage } from '../kit/browser.ts'
import { describePanel, linkTo, PASSWORD, type Stage, openWithin, signOut } from '../kit/panel.ts'

const NEW = 'outra senha bem longa'

async function links(stage: Stage): Promise<void> {
  const { browser, origin, dataDir } = stage
  const owner = await stage.enter()
  const { page, context } = await openPage(browser, origin)

  // A colleague is invited and sets a password.
  await owner.page.goto('/teste/equipe')
  await owner.page.getByRole('button', { name: 'Convidar' }).click()
  await owner.page.getByLabel('E-mail').fill('zeca@empresa.com.br')
  await owner.page.getByLabel('Função', { exact: true }).selectOption('Atendente')
  await owner.page.getByRole('button', { name: 'Enviar', exact: true }).click()
  await owner.page.getByText('zeca@empresa.com.br', { exact: true }).waitFor()
  await page.goto(await linkTo(dataDir, 'zeca@empresa.com.br'))
  await page.getByText(/como Atendente, com o e-mail zeca@empresa\.com\.br/).waitFor()
  await page.getByLabel('Seu nome').fill('Zeca Lima')
  await page.getByLabel('Crie sua senha').fill(PASSWORD)
  await page.getByRole('button', { name: 'Aceitar o convite' }).click()
  // Signed in at once.
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.bell').waitFor()
  await page.goto(`${origin}/convite?token=abc`)
  await page.getByText('Este convite é inválido, já foi usado ou venceu.').waitFor()
  const signIn = async (password: string) => {
    await page.goto('/entrar')
    await page.getByLabel('E-mail').fill('zeca@empresa.com.br')
    await page.getByLabel('Senha').fill(password)
    await page.getByRole('button', { name: 'Entrar' }).click()
  }
  // A link to the sign-in page leads to a page of the panel only.
  const { host } = new URL(origin)
  for (const elsewhere of ['https://evil.example/', '//evil.example/', '/\\evil.example/']) {
    await page.goto(`/entrar?volta=${encodeURIComponent(elsewhere)}`)
    await page.getByLabel('E-mail').fill('zeca@empresa.com.br')
    await page.getByLabel('Senha').fill(PASSWORD)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await page.waitForURL('**/teste/conversas')
    assert.equal(new URL(page.url()).host, host)
    await signOut(page)
  }
  await signIn(PASSWORD)
  await page.waitForURL('**/teste/conversas')
  // An attendant sees what is for attendants.
  assert.equal(await page.getByRole('link', { name: 'Chaves de API' }).count(), 0)
  await page.getByRole('link', { name: 'Conversas' }).first().waitFor()
  await signOut(page)

  // A forgotten password.
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await page.getByRole('heading', { name: 'Recuperar senha' }).waitFor()
  await page.getByLabel('E-mail').fill('zeca@empresa.com.br')
  await page.getByRole('button', { name: 'Enviar o link' }).click()
  await page.getByText('Se houver uma conta').waitFor()
  let link = ''
  while (!link.includes('redefinir')) link = await linkTo(dataDir, 'zeca@empresa.com.br')
  await page.goto(link)
  await page.getByLabel('Nova senha').fill(NEW)
  await page.getByRole('button', { name: 'Salvar a nova senha' }).click()
  await page.getByText('Senha trocada').waitFor()
  await page.goto(link)
  await page.getByLabel('Nova senha').fill(NEW)
  await page.getByRole('button', { name: 'Salvar a nova senha' }).click()
  await page.getByRole('alert').waitFor()
  await signIn(NEW)
  await page.waitForURL('**/teste/conversas')
  await context.close()
  await owner.context.close()
}

async function secondFactor(stage: Stage): Promise<void> {
  const { page, context, email } = await stage.enter()
  await page.goto('/teste/configuracoes?aba=seguranca')
  await page.getByLabel('Senha').first().fill(PASSWORD)
  await page.getByRole('button', { name: 'Ativar' }).click()
  const image = await page.getByRole('img', { name: 'Código QR' }).locator('svg').boundingBox()
  assert.ok((image?.width ?? 0) >= 200, 'the QR code is large enough to be scanned')
  const secret = await page.locator('.qr code').innerText()
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  await page.getByLabel('Código de verificação').fill(totp.generate())
  await page.getByRole('button', { name: 'Confirmar' }).click()
  const [recovery = ''] = (await page.locator('[data-secret]').innerText()).split('\n')
  await page.getByRole('button', { name: 'Já salvei os códigos' }).click()
  await page.getByText('pedimos também um código').waitFor()
  await signOut(page)
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Senha').fill(PASSWORD)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('**/entrar/2fa')
  await page.getByText(`Digite o código de verificação de ${email}`).waitFor()
  await page.getByLabel('Código de verificação').fill('000000')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.getByText('código de verificação inválido').waitFor()
  await page.getByLabel('Código de verificação').fill(recovery)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  await context.close()
}

async function renewal(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const other = await context.newPage()
  for (const one of [page, other]) {
    await one.goto('/teste/equipe')
    await one.getByRole('table').waitFor()
  }
  // After a quarter of an hour both tabs find the session's first cookie gone at once.
  for (let round = 0; round < 3; round++) {
    await context.clearCookies({ name: 'recado_access' })
    await Promise.all([page.reload(), other.reload()])
    for (const one of [page, other]) await one.getByRole('table').waitFor()
  }
  // The response to a renewal may be lost, with the cookies in it; the next page repeats it.
  await context.clearCookies({ name: 'recado_access' })
  const before = await context.cookies()
  await other.close()
  const lost = Promise.withResolvers<number>()
  const loseOne = async (route: Route) => {
    const answer = await route.fetch()
    await context.clearCookies()
    await context.addCookies(before)
    await route.abort()
    lost.resolve(answer.status())
  }
  await page.route('**/v1/auth/refresh', loseOne, { times: 1 })
  await page.reload()
  assert.equal(await lost.promise, 200)
  await page.reload()
  await page.getByRole('table').waitFor()
  // Signing out then works.
  await context.clearCookies({ name: 'recado_access' })
  await signOut(page)
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  await page.goto('/')
  await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  const left = (await context.cookies(stage.origin)).map(({ name }) => name)
  // The device cookie stays; the session cookies are cleared.
  assert.deepEqual(
    left.filter((name) => /access|refresh/.test(name)),
    [],
  )
  await context.close()
}

async function secrets(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const answers: Promise<string>[] = []
  page.on('response', (response) => {
    // The stream has no end.
    const { pathname } = new URL(response.url())
    if (/^\/panel\/api\/(?!.*live$)/.test(pathname)) answers.push(response.text().catch(() => ''))
  })
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  // A dialog is open as soon as it is on the page, and never closes for a moment: a key or click that arrived in
  // between would go to the page behind it.
  await page.addInitScript(`
    window.flaws = []
    new MutationObserver(() => {
      for (const dialog of document.querySelectorAll('dialog:not([open])')) flaws.push(dialog.innerText)
    }).observe(document, { childList: true, subtree: true })
    document.addEventListener('close', () => flaws.push('closed'), true)
  `)
  const found: string[] = []
  for (const [path, open, kept, shape] of [
    ['chaves', 'Criar chave', 'Já salvei a chave', /^svc_test_\w{40}$/],
    ['webhooks/novo', null, 'Já salvei o segredo', /^whsec_/],
  ] as const) {
    await page.goto(`/teste/${path}`)
    if (open) {
      await page.getByRole('button', { name: open }).click()
      await page.getByText('Limitar o acesso da chave').click()
      await page.getByLabel('alterar configurações').uncheck()
      await page.getByLabel('Só destes endereços IP').fill('127.0.0.1\n203.0.113.0/24')
      await page.getByLabel('Requisições por minuto').fill('600')
    } else {
      await page.getByLabel('Nome', { exact: true }).fill('ERP')
      await page.getByLabel('URL').fill('https://x.invalid')
      await page.getByText('Mais eventos, arquivos e cabeçalhos').click()
      await page.getByLabel('mensagens editadas').check()
      await page.getByLabel('Cabeçalhos personalizados').fill('Authorization: Bearer minha-senha')
    }
    await page.getByRole('button', { name: 'Criar', exact: true }).click()
    const secret = await page.locator('[data-secret]').innerText()
    assert.match(secret, shape)
    // Neither Escape nor a click beside it closes it.
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('dialog').isVisible(), true)
    assert.deepEqual(await page.evaluate('window.flaws'), [])
    await page.getByRole('button', { name: kept }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The secret took the place of the form's dialog, and still the focus returns to where it came from.
    if (open) assert.equal(await page.evaluate('document.activeElement?.textContent'), open)
    found.push(secret)
  }
  await page.goto('/teste/chaves')
  await page.getByText('ler, enviar mensagens · 127.0.0.1, 203.0.113.0/24 · até 600/min').waitFor()
  await page.goto('/teste/webhooks')
  await page.getByRole('link', { name: 'ERP' }).waitFor()
  await page.getByRole('link', { name: 'ERP' }).click()
  await page.getByRole('button', { name: 'Trocar segredo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Trocar segredo' }).click()
  const replaced = page.locator('[data-secret]')
  await replaced.waitFor()
  found.push(await replaced.innerText())
  await page.getByRole('button', { name: 'Já salvei o segredo' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const kept = await page.evaluate<string>(`(async () => {
    const caches_ = await Promise.all((await caches.keys()).map(async (name) => JSON.stringify(
      (await (await caches.open(name)).keys()).map((request) => request.url))))
    return [document.documentElement.outerHTML, location.href, ...Object.values(localStorage),
      ...Object.values(sessionStorage), ...caches_, JSON.stringify(history.state)].join(' ')
  })()`)
  // The server has recorded the request, and not its response.
  assert.match(stage.log(), /\/v1\/webhooks/)
  const bodies = await Promise.all(answers)
  for (const secret of found) {
    assert.ok(!kept.includes(secret))
    assert.ok(!logged.join(' ').includes(secret))
    assert.ok(!stage.log().includes(secret))
    // Only one response ever contained it.
    assert.equal(bodies.filter((body) => body.includes(secret)).length, 1)
  }
  await context.close()
}

async function alerts(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  await page.goto('/producao/inicio')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type('notifica')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Notificações', selected: true }).waitFor()
  const failing = page.getByLabel('Todas as entregas de um webhook falham há 15 minutos')
  assert.ok(await failing.isChecked())
  await failing.uncheck()
  await page.getByLabel('Avisar quando os créditos ficarem abaixo de').fill('250')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('button', { name: 'Salvo' }).waitFor()
  await page.reload()
  await failing.waitFor()
  assert.ok(!(await failing.isChecked()))
  assert.equal(
    await page.getByLabel('Avisar quando os créditos ficarem abaixo de').inputValue(),
    '250',
  )
  // The page of credits counts by the same limit.
  await openWithin(page, 'Conta', 'Uso e créditos')
  await page.getByText('Poucos créditos.').waitFor()
  await page.goto('/producao/configuracoes?aba=notificacoes')
  await page.getByLabel('Avisar quando os créditos ficarem abaixo de').fill('0')
  await page.getByRole('button', { name: 'Salvar' }).click()
  await page.getByRole('button', { name: 'Salvo' }).waitFor()
  await openWithin(page, 'Conta', 'Uso e créditos')
  await page.getByRole('heading', { name: 'Mensagens por dia' }).waitFor()
  await page.getByText('Poucos créditos.').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await context.close()
}

async function addresses(stage: Stage): Promise<void> {
  const { page, context, complaints } = await stage.enter()
  // A page without its mode, a new campaign by its address, and what is nowhere.
  await page.goto('/uso')
  await page.waitForURL('**/teste/uso')
  await page.goto('/teste/campanhas/nova')
  await page.getByRole('heading', { name: 'Nova campanha' }).waitFor()
  for (const path of ['/nada', '/nada/disto', '/teste/nada']) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'Página não encontrada' }).waitFor()
  }
  // A choice of no event is not one of all.
  await page.goto('/teste/webhooks/novo')
  await page.getByLabel('Nome', { exact: true }).fill('ERP')
  await page.getByLabel('URL').fill('https://x.invalid')
  await page.getByLabel('todos os eventos').uncheck()
  await page.getByLabel('message.received').uncheck()
  await page.getByRole('button', { name: 'Criar', exact: true }).click()
  await page.getByText('Escolha ao menos um evento').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

describePanel('signing in and secrets in the panel', (stage) => {
  it('leads every address to a page, at least to one that says there is nothing there', () =>
    addresses(stage()))
  it('lets a user choose mail notifications and the credit limit that triggers one', () =>
    alerts(stage()))
  it('invites a member and sets a new password through links in mails that work once', () =>
    links(stage()))
  it('asks for the second factor when signing in, and accepts a recovery code instead', () =>
    secondFactor(stage()))
  it('renews one session from several tabs, and signs out the others when one signs out', () =>
    renewal(stage()))
  it('shows a secret once and stores it nowhere', () => secrets(stage()))
})
