// The language of the server's sentences: Portuguese, unless the caller prefers English or Spanish.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { LANGUAGES, phrasesIn, preferredLanguage } from '../../src/kernel/phrases/phrases.ts'
import { translateSentence } from '../../src/kernel/phrases/translate.ts'
import type { Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TRANSLATIONS = LANGUAGES.filter((language) => language !== 'pt-BR')
const accept = (language: string) => ({ 'accept-language': language })
const messageOf = async (api: Client, path: string, headers: Record<string, string>) =>
  (await api.get(path, undefined, headers)).body.error.message

describe('the language of an error', () => {
  it('the language of an error is the one that Accept-Language prefers, with the names of fields and codes unchanged', async () => {
    const api = await kit.key(await kit.project())
    for (const language of TRANSLATIONS) {
      const { instances, http } = phrasesIn(language)
      const missing = await api.get('/v1/instances/ins_x', undefined, accept(language))
      assert.deepEqual(missing.body.error, { code: 'NOT_FOUND', message: instances.notFound })
      assert.equal(missing.headers['content-language'], language)
      assert.equal(
        await messageOf(api, '/v1/instances?limit=x', accept(language)),
        http.wrongType('limit', http.types.integer),
      )
      assert.notEqual(instances.notFound, phrasesIn('pt-BR').instances.notFound)
    }
  })

  it('the language of an error is Portuguese without the header, and for any language that is not supported', async () => {
    const api = await kit.key(await kit.project())
    const { notFound } = phrasesIn('pt-BR').instances
    for (const header of [
      'pt-BR,pt;q=0.9,en;q=0.8',
      '*',
      'de-DE,de;q=0.9',
      '',
      ';;q=,,',
      'x'.repeat(4000),
    ]) {
      assert.equal(await messageOf(api, '/v1/instances/ins_x', accept(header)), notFound, header)
    }
    assert.equal(await messageOf(api, '/v1/instances/ins_x', {}), notFound)
  })

  it('the language of an error follows the weights of the header, not only its order', () => {
    assert.equal(preferredLanguage('pt;q=0.5, en-US;q=0.9, es;q=0.7'), 'en')
    assert.equal(preferredLanguage('es-AR,es;q=0.9,en;q=0.8'), 'es')
    // A supported language counts only if it comes first.
    assert.equal(preferredLanguage('de, en;q=0.5'), 'pt-BR')
    assert.equal(preferredLanguage('fr,en'), 'pt-BR')
    assert.equal(preferredLanguage('en;q=0, es;q=0.1'), 'es')
  })
})

describe('the language of a record', () => {
  it('the language of a record is the reader’s for sentences of the server, and never changes what a person wrote', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await kit.pair(api)
    const text = phrasesIn('pt-BR').http.internal
    const path = `/v1/instances/${id}/messages`
    // Names that sentences of the server have, too.
    const metadata = { code: 'x', message: text, errorReason: text }
    await api.post(path, { to: '+5511988880003', text, metadata })
    await kit.settle()
    for (const language of TRANSLATIONS) {
      const [message] = (await api.get(path, undefined, accept(language))).body.items
      assert.equal(message.text, text)
      assert.deepEqual(message.metadata, metadata)
      assert.equal(message.error.code, 'NUMBER_NOT_ON_NETWORK')
      assert.equal(message.error.message, phrasesIn(language).messages.errors.NUMBER_NOT_ON_NETWORK)
    }
    const [portuguese] = (await api.get(path)).body.items
    assert.equal(portuguese.error.message, phrasesIn('pt-BR').messages.errors.NUMBER_NOT_ON_NETWORK)
  })

  it('the language of a record translates every sentence that can be stored, with its values', () => {
    for (const language of TRANSLATIONS) {
      const { deliveries, http } = phrasesIn(language)
      assert.equal(
        translateSentence('erro de rede: tempo esgotado', language),
        deliveries.network(deliveries.timeout),
      )
      assert.equal(
        translateSentence('erro de rede: ECONNREFUSED', language),
        deliveries.network('ECONNREFUSED'),
      )
      assert.equal(
        translateSentence('to: mínimo de 3 caracteres', language),
        http.tooShort('to', 3),
      )
      assert.equal(
        translateSentence('erro de rede: CERT_HAS_EXPIRED (o certificado venceu)', language),
        deliveries.network(`CERT_HAS_EXPIRED (${deliveries.networkHints['CERT_HAS_EXPIRED']})`),
      )
      assert.equal(translateSentence('HTTP 500', language), 'HTTP 500')
      assert.equal(translateSentence('Bom dia!', language), 'Bom dia!')
    }
    assert.equal(translateSentence('erro interno', 'pt-BR'), 'erro interno')
  })
})
