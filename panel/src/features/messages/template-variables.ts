const VARIABLE = /\{\{(\d{1,3})\}\}/g

/** How many variables the body of a template has. */
export function variableCount(body: string): number {
  return Math.max(0, ...[...body.matchAll(VARIABLE)].map(([, number]) => Number(number)))
}

/** The body with its variables filled in; those without a value stay as they are. */
export function fillVariables(body: string, values: string[]): string {
  return body.replace(VARIABLE, (whole, number: string) => values[Number(number) - 1] || whole)
}
