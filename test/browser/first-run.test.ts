// From the sign-up to the first message on a webhook, by mouse and by keyboard alone; and the QR code to scan.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { openPage } from '../kit/browser.ts'
import { describePanel, linkTo, signUpFields, walkFirstRun, type Stage } from '../kit/panel.ts'

// A module that says that its function is what it exports.
const decodeQr = jsqr as unknown as typeof jsqr.default
const MOST_CLICKS = 16
const MOST_FIELDS = 7

async function firstRun({ browser, origin, dataDir }: Stage): Promise<void> {
  const { page, context, complaints } = await openPage(browser, origin)
  const count = await walkFirstRun(page, { email: 'ana@empresa.com.br', dataDir })
  assert.ok(count.clicks <= MOST_CLICKS, `${count.clicks} clicks`)
  assert.ok(count.fields <= MOST_FIELDS, `${count.fields} fields`)
  await page.getByRole('link', { name: 'Início', exact: true }).first().click()
  await page.locator('li[data-done="true"]').nth(4).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
}

/** Fingers on a keyboard, which find things as the eye does: by what they are called, with the focus to be seen. */
function fingers(page: Page) {
  const focused = () =>
    page.evaluate<{ name: string; seen: boolean }>(`(() => {
      const at = document.activeElement
      const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      return { name: label.trim(), seen: outlineStyle !== 'none' && outlineWidth !== '0px' }
    })()`)
  async function tabTo(name: string): Promise<void> {
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press('Tab')
      const at = await focused()
      if (at.name === name) {
        assert.ok(at.seen, `the focus on «${name}» is not seen`)
        return
      }
    }
    assert.fail(`no way to «${name}» with Tab`)
  }
  return {
    focused,
    tabTo,
    async press(name: string) {
      await tabTo(name)
      await page.keyboard.press('Enter')
    },
    async type(name: string, text: string) {
      await tabTo(name)
      await page.keyboard.type(text)
    },
  }
}

async function keyboardOnly({ browser, origin, dataDir }: Stage): Promise<void> {
  const { page, context } = await openPage(browser, origin)
  const { focused, press, type, tabTo } = fingers(page)
  const email = 'teclado@empresa.com.br'
  await page.goto('/criar-conta')
  await page.getByRole('heading', { name: 'Criar conta' }).waitFor()
  for (const [label, value] of signUpFields(email)) await type(label, value)
  await press('Criar conta')
  await page.getByRole('heading', { name: 'Confirme seu e-mail' }).waitFor()
  await page.goto(await linkTo(dataDir, email))
  await press('Confirmar meu e-mail')
  await page.getByRole('heading', { name: 'Início' }).waitFor()
  // What comes first leads past the menu.
  await page.keyboard.press('Tab')
  assert.equal((await focused()).name, 'Ir para o conteúdo')
  await press('Instâncias')
  await page.getByRole('heading', { name: 'Instâncias' }).waitFor()
  await press('Nova instância')
  await page.getByRole('dialog').waitFor()
  // Escape leaves, and the focus is where it was.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await focused()).name, 'Nova instância')
  await page.keyboard.press('Enter')
  await press('Cancelar')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await focused()).name, 'Nova instância')
  await page.keyboard.press('Enter')
  await press('Criar')
  await page.getByTestId('qr').waitFor()
  await press('Ler com o celular virtual')
  await page.getByText('Minha loja está conectada').waitFor()
  await press('Criar webhook')
  await page.getByLabel('URL').waitFor()
  await press('Usar o receptor de teste')
  await page.getByLabel('URL').and(page.locator('[value*="/caixa/"]')).waitFor()
  await press('Criar')
  await page.getByRole('dialog').waitFor()
  await press('Já salvei o segredo')
  await page.getByRole('heading', { name: 'Entregas' }).waitFor()
  await press('Celular virtual')
  await page.getByLabel('Mensagem').waitFor()
  await tabTo('Mensagem')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('Olá!').waitFor()
  // The palette, by its keys.
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type('receptor')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Receptor de teste' }).waitFor()
  await page.getByText('message.received', { exact: true }).first().waitFor()
  await context.close()
}

async function pairing(stage: Stage): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      const { page, context, complaints } = await stage.enter({
        colorScheme,
        viewport: {
          width,
          height: 900,
        },
      })
      await page.goto('/teste/instancias')
      await page.getByRole('button', { name: 'Nova instância' }).click()
      await page.getByRole('button', { name: 'Criar', exact: true }).click()
      const code = page.getByTestId('qr')
      await code.waitFor()
      await page.getByText('Código 1 de 6').waitFor()
      const { data, width: w, height: h } = PNG.sync.read(await code.screenshot())
      const read = decodeQr(new Uint8ClampedArray(data), w, h)
      assert.match(read?.data ?? '', /^2@/, `${colorScheme} ${width}`)
      assert.deepEqual(complaints, [])
      await context.close()
    }
  }
}

describePanel('the first run', (stage) => {
  it('leads from the sign-up to the first message on a webhook within a few clicks and fields', () =>
    firstRun(stage()))
  it('works with the keyboard alone, with a visible focus that dialogs return', () =>
    keyboardOnly(stage()))
  it('shows a QR code that a camera can read, in both themes and at two widths', () =>
    pairing(stage()))
})
