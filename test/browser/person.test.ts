// The user: sign-up, panel preferences and sessions.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, openPage } from '../kit/browser.ts'
import { describePanel, linkTo, PASSWORD, signUpFields, type Stage } from '../kit/panel.ts'

async function again(stage: Stage): Promise<void> {
  const { browser, origin, dataDir } = stage
  const { page, context, complaints } = await openPage(browser, origin)
  const email = 'perdida@empresa.com.br'
  await page.goto('/criar-conta')
  // What the server refuses is kept next to its field, which has the focus.
  await page.route('**/panel/api/signup', (route) =>
    route.fulfill({
      status: 400,
      json: { error: { code: 'BAD_REQUEST', message: 'taxId: CNPJ inválido', field: 'taxId' } },
    }),
  )
  for (const [label, value] of signUpFields(email)) await page.getByLabel(label).fill(value)
  await page.getByRole('button', { name: 'Criar conta' }).click()
  const refused = page.getByLabel('CNPJ')
  await refused.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  assert.equal(await page.getByText('CNPJ inválido', { exact: true }).count(), 1)
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.unroute('**/panel/api/signup')
  complaints.length = 0
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await page.waitForURL('**/confirmar-email?*')

  // The page that names the address survives a reload, and resends the link.
  await page.reload()
  await page.getByText(`Enviamos um link para ${email}`).waitFor()
  const first = await linkTo(dataDir, email)
  await page.getByRole('button', { name: 'Reenviar o link' }).click()
  await page.getByRole('button', { name: /Reenviar em \d+ s/ }).waitFor()
  while ((await linkTo(dataDir, email)) === first) await new Promise(setImmediate)
  // A user who returns to correct the address finds the form as they filled it in.
  await page.getByRole('link', { name: 'Trocar o e-mail' }).click()
  await page.getByRole('heading', { name: 'Criar conta' }).waitFor()

  // A link that is expired has a button that sends another.
  await page.goto('/confirmar-email?token=cnf_velho')
  await page.getByRole('button', { name: 'Confirmar meu e-mail' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Reenviar o link' }).click()
  await page.getByText('Enviado.', { exact: true }).waitFor()
  await page.goto(await linkTo(dataDir, email))
  await page.getByRole('button', { name: 'Confirmar meu e-mail' }).click()
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  await context.close()
}

async function likes(stage: Stage): Promise<void> {
  const { page, context, email, complaints } = await stage.enter()
  await page.goto('/teste/configuracoes?aba=aparencia')
  const kept = page.waitForResponse('**/panel/api/me/appearance')
  await page.getByLabel('Tema').selectOption('escuro')
  assert.equal((await kept).status(), 204)
  await page.locator('html[data-theme=escuro]').waitFor()
  await page.goto('/teste/configuracoes?aba=seguranca')
  await page.getByRole('table', { name: 'Sessões' }).getByText('esta', { exact: true }).waitFor()

  // On another device it is as it was chosen; there it is changed by the palette.
  const other = await openPage(stage.browser, stage.origin)
  await other.page.goto('/entrar')
  await other.page.getByLabel('E-mail').fill(email)
  await other.page.getByLabel('Senha').fill(PASSWORD)
  await other.page.getByRole('button', { name: 'Entrar' }).click()
  await other.page.locator('html[data-theme=escuro]').waitFor()
  await other.page.getByRole('heading', { name: 'Início' }).waitFor()
  await other.page.keyboard.press('Control+k')
  await other.page.getByRole('combobox').fill('tema')
  await other.page.keyboard.press('Enter')
  await other.page.locator('html[data-theme=claro]').waitFor()
  await other.page.goto('/teste/configuracoes?aba=seguranca')
  const sessions = other.page.getByRole('table', { name: 'Sessões' })
  await sessions.getByText('encerrada por outra').waitFor()

  // The keyboard tells what it does.
  await other.page.keyboard.press('?')
  await other.page.getByRole('dialog', { name: 'Atalhos do teclado' }).waitFor()
  await assertAccessible(other.page, 'shortcuts')
  await other.page.keyboard.press('Escape')
  await other.page.keyboard.press('Control+k')
  await other.page.getByRole('combobox').fill('nova inst')
  await other.page.keyboard.press('Enter')
  await other.page.getByRole('dialog', { name: 'Nova instância' }).waitFor()
  assert.match(other.page.url(), /instancias\?nova=sim/)
  await other.page.keyboard.press('Escape')
  await other.page.waitForURL(/instancias$/)
  // The first device is signed out: what it still asks for is refused.
  const own = complaints.filter((text) => !text.includes('401 (Unauthorized)'))
  assert.deepEqual([...own, ...other.complaints], [])
  await context.close()
  await other.context.close()
}

describePanel('the account of a user', (stage) => {
  it('shows a refused sign-up beside its field, and resends the confirmation link', () =>
    again(stage()))
  it('keeps panel preferences on every device, and lists the sessions', () => likes(stage()))
})
