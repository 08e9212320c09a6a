/**
 * Returns the count in the notation of the language (a BCP 47 tag), followed by the form that its plural rules require:
 * `one` for the singular, `other` for everything else.
 */
export function plural(
  language: string,
  count: number,
  { one, other }: { one: string; other: string },
): string {
  const form = new Intl.PluralRules(language).select(count) === 'one' ? one : other
  return `${new Intl.NumberFormat(language).format(count)} ${form}`
}
