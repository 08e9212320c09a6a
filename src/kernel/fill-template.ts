const NAME = String.raw`[\p{L}\p{N}_.-]{1,100}`
/** `{{name}}`. Names and the spaces around them are bounded, so that matching is never quadratic. */
const PLACEHOLDER = new RegExp(String.raw`\{\{\s{0,20}(${NAME})\s{0,20}\}\}`, 'gu')
const WHOLE_NAME = new RegExp(`^${NAME}$`, 'u')

/** Whether a placeholder can have this name: it has no spaces, for example. */
export const isVariableName = (name: string): boolean => WHOLE_NAME.test(name)

/** Returns the names of the variables in all texts of a message. */
export function variablesOf(template: unknown): string[] {
  const names = new Set<string>()
  mapTexts(template, (text) => {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER)) names.add(name)
    return text
  })
  return [...names]
}

/** Counts the placeholders in a message. */
export function countPlaceholders(template: unknown): number {
  let count = 0
  mapTexts(template, (text) => {
    count += text.match(PLACEHOLDER)?.length ?? 0
    return text
  })
  return count
}

/** Replaces placeholders with the values of their variables; unknown ones stay. */
export function fillTemplate<Template>(
  template: Template,
  variables: Record<string, string>,
): Template {
  return mapTexts(template, (text) =>
    text.replace(PLACEHOLDER, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    ),
  )
}

function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value) as Value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]),
  ) as Value
}
