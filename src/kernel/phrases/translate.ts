import { phrasesIn, say, type Language } from './phrases.ts'

/** Groups whose sentences are never stored in records. */
const UNSTORED_GROUPS = new Set(['start', 'ops', 'docs', 'mcp', 'audit'])
/** Placeholder for an argument when a phrase is turned into a pattern; occurs in no sentence. */
const PLACEHOLDER = '\uE000'
const MAX_PARAMETERS = 4

type Sentence = string | ((...values: (string | number)[]) => string)
type Path = readonly string[]
type Template = { path: Path; pattern: RegExp }

/** Portuguese sentences by text, and the patterns of those with parameters, longest first. */
type Index = { exact: ReadonlyMap<string, Path>; templates: readonly Template[] }
let index: Index | null = null

function buildIndex(): Index {
  const exact = new Map<string, Path>()
  const templates: Template[] = []
  function add(value: unknown, path: Path): void {
    if (typeof value === 'string') exact.set(value, path)
    else if (typeof value === 'function') templates.push(...templateOf(value as Sentence, path))
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(inner, [...path, key])
    }
  }
  for (const [group, sentences] of Object.entries(say)) {
    if (!UNSTORED_GROUPS.has(group)) add(sentences, [group])
  }
  templates.sort((a, b) => b.pattern.source.length - a.pattern.source.length)
  return { exact, templates }
}

/** The pattern of a sentence with parameters; empty if the sentence reformats an argument. */
function templateOf(sentence: Sentence, path: Path): Template[] {
  if (typeof sentence !== 'function' || sentence.length > MAX_PARAMETERS) return []
  const text = sentence(...Array.from({ length: sentence.length }, () => PLACEHOLDER))
  const parts = text.split(PLACEHOLDER)
  if (parts.length !== sentence.length + 1) return []
  const source = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return [{ path, pattern: new RegExp(`^${source.join('(.*?)')}$`, 's') }]
}

function sentenceAt(language: Language, path: Path): Sentence {
  return path.reduce<unknown>(
    (found, key) => Reflect.get(found as object, key),
    phrasesIn(language),
  ) as Sentence
}

/**
 * Translates a stored Portuguese sentence; any other text is returned unchanged. Parts of a
 * sentence that are sentences themselves, such as the cause in `erro de rede: tempo esgotado`, are translated, too.
 */
export function translateSentence(text: string, language: Language): string {
  if (language === 'pt-BR') return text
  const { exact, templates } = (index ??= buildIndex())
  const path = exact.get(text)
  const found = path && sentenceAt(language, path)
  if (typeof found === 'string') return found
  for (const { path: at, pattern } of templates) {
    const match = pattern.exec(text)
    const sentence = match && sentenceAt(language, at)
    if (!match || typeof sentence !== 'function') continue
    const values = match
      .slice(1)
      .map((value) => (/^\d+$/.test(value) ? Number(value) : translateSentence(value, language)))
    return sentence(...values)
  }
  // A code with an explanation, as in `CERT_HAS_EXPIRED (o certificado venceu)`.
  const [, code, hint] = /^(\w+) \((.+)\)$/s.exec(text) ?? []
  return hint === undefined ? text : `${code} (${translateSentence(hint, language)})`
}
