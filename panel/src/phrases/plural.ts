import { formatNumber } from './number.ts'

const rules = new Map<string, Intl.PluralRules>()

/**
 * Returns the count in the notation of the language (a BCP 47 tag), followed by the form that its plural rules require:
 * `one` for the singular, `other` for everything else.
 */
export function plural(
  language: string,
  count: number,
  { one, other }: { one: string; other: string },
): string {
  const rule = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, rule)
  return `${formatNumber(count, language)} ${rule.select(count) === 'one' ? one : other}`
}
