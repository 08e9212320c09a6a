// The reference in other languages: the document of the API, whose texts are Portuguese, with each text translated.
import portuguese from '../../openapi.json'
import english from './reference-texts/en.json'
import spanish from './reference-texts/es.json'

/** Texts for readers; everything else in the document is for programs. */
const TEXTS = new Set(['summary', 'description', 'title'])
/** The title of a schema is the name of its type. */
const NAME = /^[A-Z]\w+$/
/** An error response without a sentence of its own is described by its code. */
const CODE = /^[A-Z_]+$/

const isText = (key: string, text: string) =>
  TEXTS.has(key) && !CODE.test(text) && !(key === 'title' && NAME.test(text))

/** Returns the document in another language. Throws if a text has no translation, or a translation no text. */
function translate(language: string, texts: Record<string, string>): object {
  const used = new Set<string>()
  const say = (text: string): string => {
    used.add(text)
    return texts[text] ?? text
  }
  const visit = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return isText(key, value) ? say(value) : value
    if (Array.isArray(value)) {
      // Operations name the groups that they belong to.
      const isTag = (item: unknown) => key === 'tags' && typeof item === 'string'
      return value.map((item: unknown) => (isTag(item) ? say(item as string) : visit(item)))
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        name === 'example' || name === 'examples' ? (item as unknown) : visit(item, name),
      ]),
    )
  }
  const document = visit(portuguese) as { tags: { name: string }[] }
  for (const tag of document.tags) tag.name = say(tag.name)
  const missing = [...used].filter((text) => texts[text] === undefined)
  const unused = Object.keys(texts).filter((text) => !used.has(text))
  if (missing.length + unused.length > 0)
    throw new Error(
      `reference-texts/${language}.json: not translated: ${JSON.stringify(missing)}; not used: ${JSON.stringify(unused)}`,
    )
  return document
}

/** The document in each language, by the language's folder in the site; the root is Portuguese. */
export const DOCUMENTS: Record<'root' | 'en' | 'es', object> = {
  root: portuguese,
  en: translate('en', english),
  es: translate('es', spanish),
}
