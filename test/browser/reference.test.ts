// The API reference at /docs, in a browser.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openPage } from '../kit/browser.ts'
import { describePanel } from '../kit/panel.ts'

describePanel('the API reference', (stage) => {
  it('sends a request of its reader to the host that serves it, and nothing to other origins', async () => {
    const { browser, origin } = stage()
    const sandbox = origin.replace('localhost', 'sandbox.localhost')
    const { page, context } = await openPage(browser, sandbox)
    await page.goto('/docs')
    await page.getByText('Teste: nada sai do simulador').waitFor()
    await page.goto('/docs/#tag/projeto/GET/v1/me')
    await page.getByRole('button', { name: /Test Request.*\/v1\/me\)/ }).click()
    const answered = page.waitForResponse(`${sandbox}/v1/me`)
    await page.getByRole('button', { name: /^Send get request/ }).click()
    const answer = await answered
    assert.equal(answer.status(), 401)
    await page.getByText('"UNAUTHORIZED"').waitFor()
    await context.close()
  })

  it('says on the host of production that requests cost credits, and where they do not', async () => {
    const { browser, origin } = stage()
    const { page, context } = await openPage(browser, origin)
    await page.goto('/docs/')
    await page.getByText(/Produção: envios usam créditos.*sandbox\.localhost/).waitFor()
    await context.close()
  })
})
