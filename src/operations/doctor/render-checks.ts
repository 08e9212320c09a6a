import { say } from '../../kernel/phrases/phrases.ts'
import type { Check } from './check.ts'

/** The checks as lines for a terminal, each failure with its remedy below it. */
export function renderChecks(checks: Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, ok, detail, remedy }) => [
    `${ok ? '✓' : '✗'} ${name.padEnd(width)}  ${detail}`,
    ...(remedy === null ? [] : [`  ${' '.repeat(width)}  ${remedy}`]),
  ])
  const summary = checks.every(({ ok }) => ok) ? say.ops.doctorOk : say.ops.doctorBad
  return `${lines.join('\n')}\n\n${summary}\n`
}
