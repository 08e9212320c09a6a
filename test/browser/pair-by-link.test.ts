// A pairing link: someone without an account pairs an instance.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAccessible, openPage } from '../kit/browser.ts'
import { describePanel, type Stage } from '../kit/panel.ts'

/** Calls the API of test mode as the signed-in user. */
async function call(
  stage: Stage,
  page: Awaited<ReturnType<Stage['enter']>>['page'],
  path: string,
  data: object,
) {
  const answer = await page.request.post(`${stage.origin}/panel/api/test/v1${path}`, {
    data,
    headers: { 'x-recado-panel': '1' },
  })
  assert.ok(answer.ok(), `${path}: ${await answer.text()}`)
  return (await answer.json()) as { id: string; phone: string }
}

async function pairs(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  const { id } = await call(stage, page, '/instances', { name: 'Loja do Centro' })
  await page.goto(`/teste/instancias/${id}/parear`)
  await page.getByText('Enviar um link para quem está com o celular').click()
  await page.getByRole('button', { name: 'Criar link', exact: true }).click()
  const url = await page.locator('.link-once').innerText()
  await assertAccessible(page, 'a pairing link')

  const owner = await openPage(stage.browser, stage.origin)
  await owner.page.goto(url)
  await owner.page.getByRole('heading', { name: 'Conectar o WhatsApp de Padaria' }).waitFor()
  await owner.page.getByRole('img', { name: /código/i }).waitFor()
  await assertAccessible(owner.page, 'the page of a pairing link')
  await owner.page.getByText('Estou no celular que vai ser conectado').click()
  const phone = await call(stage, page, '/simulator/phones', { name: 'Loja' })
  await owner.page.getByRole('textbox', { name: 'Número' }).fill(phone.phone)
  await owner.page.getByRole('button', { name: 'Gerar código' }).click()
  const code = await owner.page.locator('.big-number').innerText()
  await call(stage, page, `/simulator/phones/${phone.id}/scan`, { code })
  await owner.page.getByText('Loja do Centro está conectada.').waitFor()
  await page
    .getByText(/pode|pronta|conectad/i)
    .first()
    .waitFor()
  await owner.context.close()
  await context.close()
}

async function ends(stage: Stage): Promise<void> {
  const { page, context } = await openPage(stage.browser, stage.origin)
  await page.goto('/parear?token=plk_nenhum')
  await page.getByText('este link não vale mais: peça outro a quem o enviou').waitFor()
  await context.close()
}

describePanel('a pairing link', (stage) => {
  it('a pairing link pairs an instance from a browser without an account', () => pairs(stage()))
  it('an invalid pairing link shows what to do', () => ends(stage()))
})
