// Accessibility: axe on every page and open dialog, in both themes and languages, down to 320 px.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openPage } from '../kit/browser.ts'
import { connectByApi, describePanel, makeThings, type Stage } from '../kit/panel.ts'

const PUBLIC = [
  '/entrar',
  '/criar-conta',
  '/recuperar-senha',
  '/sessao-encerrada',
  '/emails',
  '/confirmar-email?token=x',
  '/redefinir-senha?token=x',
  '/mudar-email?token=x',
  '/convite?token=x',
  '/confirmar-email',
]
export const PRIVATE = [
  'inicio',
  'instancias',
  'conversas',
  'grupos',
  'etiquetas',
  'chamadas',
  'campanhas',
  'chaves',
  'webhooks',
  'webhooks/novo',
  'eventos',
  'requisicoes',
  'telefone',
  'caixa',
  'uso',
  'plano',
  'equipe',
  'auditoria',
  ...['empresa', 'seguranca', 'aparencia', 'notificacoes', 'dados'].map(
    (tab) => `configuracoes?aba=${tab}`,
  ),
]
const LOOKS = ['light', 'dark'].flatMap((colorScheme) =>
  [390, 1280].map((width) => ({ colorScheme: colorScheme as 'light' | 'dark', width })),
)

type Look = (typeof LOOKS)[number]
const ofTheme = (theme: Look['colorScheme']) =>
  LOOKS.filter(({ colorScheme }) => colorScheme === theme)

/** 320 px are 1,280 at four times the size; 640 px are 1,280 at twice. */
const NARROW = [320, 640]

/** The heading of a page that was left, while the next one comes. */
const LEFT = 'data-left'

/** Goes there as a link within the panel does, which spares a new start of everything; within a page, by its address. */
async function visit(page: Page, path: string): Promise<void> {
  const pathOf = (address: string) => new URL(address, 'http://localhost').pathname
  if (!page.url().startsWith('http') || pathOf(page.url()) === pathOf(path)) {
    await page.goto(path)
  } else {
    await page.evaluate(`{
      document.querySelector('h1')?.setAttribute('${LEFT}', '')
      history.pushState({}, '', ${JSON.stringify(path)})
    }`)
    await page.locator(`h1:not([${LEFT}])`).waitFor()
  }
  await settled(page)
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

const isWide = (page: Page) =>
  page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  )

/** Asserts that the page as it stands has no axe violation, and fits its window, in each look. */
async function assertGood(page: Page, what: string, looks = LOOKS): Promise<void> {
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    const where = `${what} ${colorScheme} ${width}`
    // Both themes are built alike, so the dark one is checked for its colors only.
    await assertAccessible(page, where, colorScheme === 'dark')
    assert.ok(!(await isWide(page)), `${where} is wider than its window`)
  }
}

async function assertRoom(page: Page, what: string, widths: number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    assert.ok(!(await isWide(page)), `${what} at ${width} is wider than its window`)
  }
}

/** Opens every public page, and every page of test mode, in a language. */
async function everywhere(stage: Stage, locale: string, looks: Look[]): Promise<void> {
  const { page, context, complaints } = await stage.enter({ locale })
  const visitor = await openPage(stage.browser, stage.origin, { locale })
  for (const path of PUBLIC) {
    await visitor.page.goto(path)
    await settled(visitor.page)
    await assertGood(visitor.page, `${path} ${locale}`, looks)
    await assertRoom(visitor.page, `${path} ${locale}`, NARROW)
  }
  const { id } = await connectByApi(page, stage.origin)
  const { webhook, unpaired, campaign, group } = await makeThings(page, stage.origin, id)
  const own = [
    `instancias/${id}`,
    `instancias/${id}/mensagens`,
    `instancias/${unpaired}/parear`,
    `webhooks/${webhook}`,
    `campanhas/${campaign}`,
    `grupos?grupo=${group}`,
  ]
  for (const name of [...PRIVATE, ...own, 'nada-disso']) {
    await visit(page, `/teste/${name}`)
    await assertGood(page, `${name} ${locale}`, looks)
    await assertRoom(page, `${name} ${locale}`, NARROW)
  }
  assert.deepEqual([...complaints, ...visitor.complaints], [])
  await context.close()
  await visitor.context.close()
}

/** Opens every page of production once per language: the pages are those of test mode. */
async function production(stage: Stage): Promise<void> {
  for (const locale of ['pt-BR', 'en-US']) {
    const { page, context, complaints } = await stage.enter({ locale })
    for (const name of PRIVATE) {
      await visit(page, `/producao/${name}`)
      await assertGood(page, `production ${name} ${locale}`, LOOKS.slice(0, 1))
    }
    assert.deepEqual(complaints, [])
    await context.close()
  }
}

/** What opens over a page: where it is, what opens it, and that it is there. */
const DIALOGS: [path: string, button: string][] = [
  ['inicio', 'Buscar no painel'],
  ['instancias', 'Nova instância'],
  ['chaves', 'Criar chave'],
  ['equipe', 'Convidar'],
  ['telefone', 'Banir o número'],
  ['configuracoes?aba=dados', 'Excluir a conta'],
]

async function dialogs(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  for (const [path, button] of DIALOGS) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`/teste/${path}`)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    await assertGood(page, button)
  }
  await page.setViewportSize({ width: 390, height: 900 })
  await page.goto('/teste/inicio')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Conta', exact: true }).waitFor()
  await assertGood(
    page,
    'the menu of a telephone',
    LOOKS.filter(({ width }) => width === 390),
  )
  await context.close()
}

/** Texts that are no phrases: of the company, of the protocol, or of the browser. */
const DATA =
  /^(Recado|Padaria|[A-Z]{1,2}|Español|Ctrl K|Chrome, Linux|Português|English|bia-\d+|Minha loja.*|Ana.*|Dono|Admin|Desenvolvedor|Atendente|Financeiro|Id|\d\dxx|prj_\w+|ins_\w+|box_\w+|https?:.*|[\w.-]+@[\w.-]+|curl .*|\.env|Node\.js|PHP|Python|[a-z]+\.[a-z]+.*|há .*|agora|em .*|…\d+|[\d\s/,.%:·—]+( ms)?|seg\.|ter\.|qua\.|qui\.|sex\.|s[áa]b\.|dom\.|[a-z_]+|\d+|\d{3}|\d{2}\/\d{2}\/\d{4})$/s

async function translated(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter()
  await connectByApi(page, stage.origin)
  await page.goto('/entrar')
  await page.evaluate("localStorage.setItem('recado.language', 'pseudo')")
  for (const name of PRIVATE) {
    await page.goto(`/teste/${name}`)
    await settled(page)
    await assertRoom(page, `${name} in long words`, [390, 1280])
    const texts = await page.evaluate<string[]>(`(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const found = []
      while (walker.nextNode()) {
        const { parentElement, data } = walker.currentNode
        if (parentElement.closest('script, style, code, pre, kbd, option')) continue
        if (/\\p{L}/u.test(data)) found.push(data.trim())
      }
      return found
    })()`)
    const hard = texts.filter((text) => !text.includes('⟦') && !DATA.test(text))
    assert.deepEqual(hard, [], `${name} says what is in no file of phrases`)
  }
  await context.close()
}

async function appearance(stage: Stage): Promise<void> {
  const { page, context } = await stage.enter({ colorScheme: 'light' })
  await page.goto('/teste/configuracoes?aba=aparencia')
  const back = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = await back()
  await page.getByLabel('Tema').selectOption('escuro')
  const dark = await back()
  assert.notEqual(dark, light)
  await page.getByLabel('Densidade').selectOption('compacta')
  // Set before the first paint, by a file: no script stands in the page.
  await page.goto('/teste/equipe')
  await settled(page)
  assert.equal(await back(), dark)
  const height = page.locator('tbody td').first()
  assert.ok((await height.boundingBox().then((box) => box?.height ?? 0)) < 60)
  await page.goto('/teste/configuracoes?aba=aparencia')
  await page.getByLabel('Idioma').selectOption('en')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  await context.close()
}

describePanel('accessibility of the panel', (stage) => {
  for (const theme of ['light', 'dark'] as const) {
    it(`has no axe violation and no clipped content on any page in the ${theme} theme, down to 320 px`, () =>
      everywhere(stage(), 'pt-BR', ofTheme(theme)))
  }
  // Colors do not depend on the language.
  it('has no axe violation and no clipped content on any page in English, down to 320 px', () =>
    everywhere(stage(), 'en-US', ofTheme('light')))
  it('has no axe violation and no clipped content on any page of production', () =>
    production(stage()))
  it('has no axe violation in any open dialog, nor in the menu of a narrow screen', () =>
    dialogs(stage()))
  it('takes every text from the phrases files and leaves room for longer ones', () =>
    translated(stage()))
  it('keeps theme, density and language, and applies them before the first paint', () =>
    appearance(stage()))
})
