import { formatNumber } from './number.ts'

const rules = new Map<string, Intl.PluralRules>()

/**
 * Returns the count in the notation of the language (a BCP 47 tag), followed by the form that its plural rules require:
 * `one` for the singular, `other` for everything else. Zero takes the plural, as Brazilians write it, although the rules of
 * Portuguese put it with one.
 */
export function plural(
  language: string,
  count: number,
  { one, other }: { one: string; other: string },
): string {
  const rule = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, rule)
  return `${formatNumber(count, language)} ${count !== 0 && rule.select(count) === 'one' ? one : other}`
}
