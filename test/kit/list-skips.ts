// A reporter that lists the skipped tests after all others. In CI (`CI=true`) a skipped test fails the run.
import type { TestEvent } from 'node:test/reporters'

/** Yields one line per skipped test, at the end. */
export default async function* listSkips(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped: string[] = []
  for await (const { type, data } of source) {
    if (type !== 'test:pass' || data.skip === undefined) continue
    skipped.push(`${data.name}: ${data.skip === true ? 'no reason given' : data.skip}`)
  }
  if (skipped.length === 0) return
  yield `\nskipped:\n${skipped.map((line) => `  ${line}\n`).join('')}`
  if (process.env['CI'] === 'true') {
    yield 'a skipped test is a failure in CI\n'
    process.exitCode = 1
  }
}
