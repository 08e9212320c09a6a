import type { FastifyInstance, FastifyRequest } from 'fastify'
import { preferredLanguage, type Language } from '../../kernel/phrases/phrases.ts'
import { translateSentence } from '../../kernel/phrases/translate.ts'

/** The language in which the caller reads sentences (G80). */
export const languageOf = ({ headers }: FastifyRequest): Language =>
  preferredLanguage(headers['accept-language'])

/** Fields that always contain text of the server. */
const SENTENCES = new Set(['lastFailureReason', 'errorReason'])
/** Fields whose keys and values belong to the caller. */
const OF_CALLERS = new Set(['metadata', 'variables', 'headers', 'fields'])
/** A `message` next to one of these fields is text of the server; anywhere else it may be user content. */
const REASONED_BY = ['code', 'reason', 'line']

/**
 * Translates the sentences of records for callers who prefer another language. Records are stored and rendered in
 * Portuguese, so that events and other readers share them.
 */
export function translateResponses(server: Pick<FastifyInstance, 'addHook'>): void {
  server.addHook('preSerialization', (request, _reply, payload, done) => {
    const language = languageOf(request)
    done(null, language === 'pt-BR' ? payload : translateRecord(payload, language))
  })
}

function translateRecord(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((item) => translateRecord(item, language))
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype ||
    // An event is shown as it was sent and signed.
    (Object.hasOwn(value, 'event') && Object.hasOwn(value, 'data'))
  )
    return value
  const reasoned = REASONED_BY.some((key) => Object.hasOwn(value, key))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && (SENTENCES.has(key) || (key === 'message' && reasoned))
        ? translateSentence(inner, language)
        : OF_CALLERS.has(key)
          ? inner
          : translateRecord(inner, language),
    ]),
  )
}
