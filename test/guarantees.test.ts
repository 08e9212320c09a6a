// docs/guarantees.md and the code refer to each other correctly.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parseSync } from 'oxc-parser'

type Guarantee = {
  number: number
  why: string[]
  keptBy: string[]
  heldBy: { file: string; titles: string[] }[]
}
type Title = { kind: 'it' | 'describe'; title: string; groups: string[] }

/** Parts of the syntax tree in which tests are declared. */
const STRUCTURE = new Set([
  'body',
  'expression',
  'declaration',
  'arguments',
  'consequent',
  'alternate',
  'block',
])
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

function readGuarantees(): Guarantee[] {
  return read('docs/guarantees.md')
    .split(/^### G/m)
    .slice(1)
    .map((section) => {
      const lines = section.replace(/\n {2}/g, ' ').split('\n')
      const of = (start: string) => lines.filter((line) => line.startsWith(start))
      return {
        number: Number.parseInt(section, 10),
        why: of('- Why: '),
        keptBy: of('- Kept by ').flatMap((line) =>
          [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
        ),
        heldBy: of('- Held by ').map((line) => ({
          file: /`([^`]+)`/.exec(line)?.[1] ?? '',
          titles: [...line.matchAll(/“([^”]+)”/g)].map((match) => match[1] ?? ''),
        })),
      }
    })
}

/** The titles of a test file with the titles of the groups around them; `…` stands for what a template inserts. */
function titlesOf(path: string): Title[] {
  const found: Title[] = []
  const { program } = parseSync(path, read(path))
  const visit = (node: unknown, groups: string[]): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, groups)
    if (typeof node !== 'object' || node === null) return
    const {
      type,
      callee,
      arguments: args = [],
    } = node as {
      type?: string
      callee?: { name?: string }
      arguments?: { type: string; value?: string; quasis?: { value: { raw: string } }[] }[]
    }
    // `whenIt` registers a test of what only some networks have, which its first argument names.
    const named = callee?.name === 'whenIt' ? args.slice(1) : args
    const kind = callee?.name === 'test' || callee?.name === 'whenIt' ? 'it' : callee?.name
    const [first] = named
    if (type === 'CallExpression' && first && (kind === 'it' || kind === 'describe')) {
      const title = first.value ?? first.quasis?.map(({ value }) => value.raw).join('…') ?? ''
      found.push({ kind, title, groups })
      visit(args.slice(1), kind === 'describe' ? [...groups, title] : groups)
      return
    }
    for (const [key, value] of Object.entries(node)) if (STRUCTURE.has(key)) visit(value, groups)
  }
  visit(program.body, [])
  return found
}

const guarantees = readGuarantees()
const numbers = new Set(guarantees.map(({ number }) => number))
const titles = new Map<string, Title[]>()
const titlesIn = (file: string) => {
  const known = titles.get(file) ?? titlesOf(file)
  titles.set(file, known)
  return known
}

describe('the guarantees', () => {
  it('numbers the guarantees from 1 without gaps', () => {
    assert.ok(guarantees.length >= 70)
    assert.deepEqual(
      guarantees.map(({ number }) => number),
      guarantees.map((_, index) => index + 1),
    )
  })

  it('states one reason for each guarantee', () => {
    const wrong = guarantees.filter(({ why }) => why.length !== 1).map(({ number }) => `G${number}`)
    assert.deepEqual(wrong, [])
  })

  it('names files that exist and, for each guarantee, at least one test', () => {
    const wrong = guarantees.flatMap(({ number, keptBy, heldBy }) => {
      const missing = keptBy.filter((path) => !existsSync(join(ROOT, path)))
      const unknown = heldBy.flatMap(({ file, titles: named }) =>
        named.filter((title) => !titlesIn(file).some((known) => known.title === title)),
      )
      const tests = heldBy.flatMap(({ file, titles: named }) =>
        titlesIn(file).filter(({ kind, title }) => kind === 'it' && named.includes(title)),
      )
      const none = keptBy.length === 0 || tests.length === 0 ? ['names no file or no test'] : []
      return [...missing, ...unknown, ...none].map((what) => `G${number}: ${what}`)
    })
    assert.deepEqual(wrong, [])
  })

  it('covers every test in test/contract by a guarantee', () => {
    const uncovered = readdirSync(join(ROOT, 'test/contract')).flatMap((name) => {
      const file = `test/contract/${name}`
      const named = new Set(
        guarantees.flatMap(({ heldBy }) =>
          heldBy.filter((held) => held.file === file).flatMap((held) => held.titles),
        ),
      )
      return titlesIn(file)
        .filter(({ kind }) => kind === 'it')
        .filter(({ title, groups }) => ![title, ...groups].some((one) => named.has(one)))
        .map(({ title }) => `${file}: ${title}`)
    })
    assert.deepEqual(uncovered, [])
  })

  it('resolves every reference to a guarantee or an ADR, and finds none to a document elsewhere', () => {
    const adrs = new Set(
      readdirSync(join(ROOT, 'docs/adr')).map((name) => Number.parseInt(name, 10)),
    )
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.sql', '*.md', '*.yml'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const wrong = files
      .trim()
      .split('\n')
      .filter((path) => path !== 'test/guarantees.test.ts' && existsSync(join(ROOT, path)))
      .flatMap((path) => {
        const text = read(path)
        const dangling = [
          ...[...text.matchAll(/\bG(\d+)\b(?=[),;:.\s])/g)].filter(
            (match) => path.endsWith('.ts') && !numbers.has(Number(match[1])),
          ),
          ...[...text.matchAll(/\bADR (\d+)/g)].filter((match) => !adrs.has(Number(match[1]))),
          ...text.matchAll(/\b(contract|specification|spec|deliveries|panel) §\s?\d[\d.]*/gi),
        ]
        return dangling.map((match) => `${path}: ${match[0]}`)
      })
    assert.deepEqual(wrong, [])
  })
})
