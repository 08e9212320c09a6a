// The documents agree with the code.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { MODULES } from './kit/modules.ts'
import { variablesRead } from './kit/variables-read.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const documents = [
  ...readdirSync(ROOT),
  ...['docs', 'docs/adr', 'docs/operating'].flatMap((dir) =>
    readdirSync(join(ROOT, dir)).map((name) => join(dir, name)),
  ),
].filter((path) => path.endsWith('.md'))

describe('the documents', () => {
  it('links only to files that exist', () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path} links to ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  it('says for each alert what to look at and what to do', () => {
    const alerts = [...read('docs/prometheus-alerts.yml').matchAll(/alert: (\w+)/g)]
    const explained = [...read('docs/operating/incidents.md').matchAll(/^### (Recado\w+)$/gm)]
    const names = (found: RegExpExecArray[]) => found.map(([, name]) => name)
    assert.deepEqual(names(explained), names(alerts))
  })

  it('names files in docs/where.md and ARCHITECTURE.md that exist', () => {
    const where = [
      ...read('docs/where.md').matchAll(/`((?:src|panel|test|docs|migrations)\/[^`]*)`/g),
    ]
    const decided = read('ARCHITECTURE.md').split('## Where things are decided')[1] ?? ''
    const named = [...decided.matchAll(/`([a-z-]+\/[\w/.-]*\.ts)`/g)].map(
      (match) => `src/${match[1]}`,
    )
    const paths = [...where.map((match) => match[1] ?? ''), ...named]
    assert.ok(where.length > 40 && named.length > 30)
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(ROOT, path))),
      [],
    )
    const changes = read('docs/where.md')
      .split('\n')
      .filter((line) => line.startsWith('| '))
    assert.ok(changes.length - 1 >= 15, `${changes.length - 1} changes`)
  })

  it('shows the import order in ARCHITECTURE.md that the architecture test enforces', () => {
    const order = [...MODULES, ['main', 'cli']].map((group) => group.join(', ')).join(' ← ')
    assert.ok(read('ARCHITECTURE.md').includes(`\`${order}\``), order)
  })

  it('lists exactly the variables in docs/configuration.md that the server reads', () => {
    const table = read('docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const listed = table.flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''),
    )
    assert.deepEqual(listed.toSorted(), variablesRead())
  })

  it('indexes every ADR with its title, date and status', () => {
    const index = read('docs/adr/README.md')
    const files = readdirSync(join(ROOT, 'docs/adr')).filter((name) => /^\d{4}-/.test(name))
    const missing = files.filter((name) => {
      const [heading = '', , meta = ''] = read(`docs/adr/${name}`).split('\n')
      const [, number, title] = /^# (\d+)\. (.+)$/.exec(heading) ?? []
      const [, date, status] =
        /^Date: (\d{4}-\d\d-\d\d) · Status: (accepted|superseded by .+)$/.exec(meta) ?? []
      const cells = [`[${number}](${name})`, title, date, status]
      const row = index.split('\n').find((line) => line.includes(`(${name})`))
      const found = row
        ?.split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return Number(number) !== Number(name.slice(0, 4)) || String(found) !== String(cells)
    })
    assert.ok(files.length >= 44)
    assert.deepEqual(missing, [])
  })

  it('shows in the README a program that the tests of the snippets run', () => {
    const [, code] = /```ts\n([^]*?)```/.exec(read('README.md')) ?? []
    assert.equal(code, read('site/snippets/ts/text.ts'))
  })
})
