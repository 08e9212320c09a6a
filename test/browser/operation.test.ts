// The pages of the operator: hidden from others, and what they change.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { assertAccessible } from '../kit/browser.ts'
import { describePanel, PASSWORD, type Stage } from '../kit/panel.ts'

async function operates(stage: Stage): Promise<void> {
  const { page, context, email } = await stage.enter()
  const other = await stage.enter()
  await page.goto('/teste/operacao')
  await page.getByRole('heading', { name: 'Página não encontrada' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Operação' }).count(), 0)

  await stage.ops('operator', 'grant', '--email', email)
  await page.reload()
  await page.getByText('ative a verificação em duas etapas').waitFor()
  const post = (path: string, data: object) =>
    page.request.post(`${stage.origin}${path}`, { data, headers: { 'x-recado-panel': '1' } })
  const offered = await post('/panel/api/second-factor', { password: PASSWORD })
  const { secret } = (await offered.json()) as { secret: string }
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await post('/panel/api/second-factor/confirm', { code })

  await page.reload()
  await page.getByRole('link', { name: 'Operação' }).waitFor()
  await page.getByRole('searchbox').fill(other.email)
  const rows = page.getByRole('main').getByRole('row')
  await page.waitForURL(/q=/)
  await rows.filter({ hasText: other.email }).waitFor()
  await assertAccessible(page, 'the companies')
  await rows.getByRole('button', { name: 'Padaria' }).click()
  const drawer = page.getByRole('dialog', { name: 'Padaria' })
  await drawer.getByRole('button', { name: 'Conceder créditos' }).click()
  const grant = page.getByRole('dialog', { name: 'Conceder créditos: Padaria' })
  await grant.getByLabel('Quantos créditos').fill('1500')
  await grant.getByRole('button', { name: 'Conceder créditos' }).click()
  await drawer.getByText('1.500').waitFor()
  await drawer.getByRole('checkbox', { name: 'Disparo em massa' }).check()
  await assertAccessible(page, 'a company')
  await drawer.getByRole('button', { name: 'Suspender' }).click()
  const confirm = page.getByRole('dialog', { name: 'Suspender' })
  await confirm.getByLabel('Digite Padaria para confirmar').fill('Padaria')
  await confirm.getByRole('button', { name: 'Suspender' }).click()
  await drawer.getByText('suspensa').waitFor()
  await other.page.goto('/teste/inicio')
  await other.page.getByRole('heading', { name: /suspens/ }).waitFor()

  await page.goto('/teste/operacao?aba=nos')
  await page.getByText('recebe instâncias').waitFor()
  await page.getByRole('button', { name: /^Esvaziar/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Esvaziar' }).click()
  await page.getByText('não há outro nó que receba as instâncias deste').waitFor()
  await page.goto('/teste/operacao?aba=filas')
  await page.getByText('Mensagens na fila').waitFor()
  await assertAccessible(page, 'the queues')
  await context.close()
}

describePanel('the pages of the operator', (stage) => {
  it('the operator’s pages exist only for operators, who view companies, grant credits and suspend Projects', () =>
    operates(stage()))
})
