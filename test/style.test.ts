// What a machine can check of docs/style.md.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_SUBJECT = 72
/** Commits before the rule; their subjects stay as they are. */
const RULED_SINCE = '2026-11-23T11:00:00Z'
/** Words that a reader would have to translate, and what to write instead. */
const BANNED: [RegExp, string][] = [
  [/\bwhom?(so)?ever\b/i, 'name the role'],
  [/\b(no|some)body\b/i, 'name the role'],
  [/\bof (ours|his|hers)\b/i, 'name the owner'],
  [/\b(so many|so much|so long)\b/i, 'name the limit'],
  [/\bat the (most|least)\b/i, 'at most, at least'],
  [/\bfor ever\b/i, 'permanently'],
  [/\b(he|him|his|himself)\b/i, 'they, or the role'],
  [/\btelephones?\b/i, 'phone'],
  [/\b(heed|mend|anew|beforehand|thereof|therein)\b/i, 'plain words'],
  [/\bgoes on\b|\bwent on\b/i, 'continues'],
  [/\bis over\b/i, 'has ended'],
  [/\bin hand\b/i, 'claimed, locked, in progress'],
  [/\bjudge[sd]?\b/i, 'validates, checks'],
  [/\b(told|tells) (of|by|that)\b/i, 'reports, receives'],
]
const ours = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.sql', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter(
    (path) => !/phrases\/|api-types\.ts$|^test\/style\.test\.ts$|^docs\/style\.md$/.test(path),
  )
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

/** The prose of a file, by line: comments of code, and test titles; all of a document without its code blocks. */
function proseOf(path: string): { line: number; text: string }[] {
  const text = read(path)
  const lineOf = (offset: number) => lineAt(text, offset)
  if (path.endsWith('.md')) {
    const prose = text.replace(/```[^]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '))
    return prose.split('\n').map((line, index) => ({ line: index + 1, text: line }))
  }
  if (path.endsWith('.sql')) {
    return text.split('\n').flatMap((line, index) => {
      const comment = /--(.*)/.exec(line)?.[1]
      return comment ? [{ line: index + 1, text: comment }] : []
    })
  }
  const { comments } = parseSync(path, text)
  const prose = comments.map(({ value, start }) => ({
    line: lineOf(start),
    text: value.replace(/`[^`]*`/g, ''),
  }))
  if (path.includes('.test.')) {
    for (const title of text.matchAll(/\b(?:it|test|describe)\(\s*(['`])((?:(?!\1).)*)\1/g)) {
      prose.push({ line: lineOf(title.index), text: title[2] ?? '' })
    }
  }
  return prose
}

describe('the writing style', () => {
  it('contains no banned word in comments, test titles and documents', () => {
    const found = ours.flatMap((path) =>
      proseOf(path).flatMap(({ line, text }) =>
        BANNED.flatMap(([word, instead]) => {
          const [hit] = word.exec(text) ?? []
          return hit ? [`${path}:${line}: «${hit}»: ${instead}`] : []
        }),
      ),
    )
    assert.deepEqual(found, [])
  })

  it('gives every exported function, type and constant a docstring', () => {
    const bare = ours
      .filter((path) => /^(src|panel\/src)\/.*\.tsx?$/.test(path) && !path.includes('.test.'))
      .flatMap((path) => {
        const text = read(path)
        const { program, comments } = parseSync(path, text)
        const docEnds = new Set(
          comments
            .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
            .map(({ end }) => end),
        )
        return (
          program.body
            .filter((node) => node.type === 'ExportNamedDeclaration' && node.declaration)
            // A type that is derived from a schema of the same name shares its docstring.
            .filter(({ start, end }) => !/= Static<typeof \w+>$/.test(text.slice(start, end)))
            .filter(({ start }) => {
              // A suppressed lint rule stands between the docstring and the declaration.
              const before = text
                .slice(0, start)
                .trimEnd()
                .replace(/\n *\/\/ oxlint-disable-next-line [^\n]*$/, '')
                .trimEnd().length
              return !docEnds.has(before)
            })
            .map(({ start }) => `${path}: ${text.slice(start, text.indexOf('\n', start))}`)
        )
      })
    assert.deepEqual(bare, [])
  })

  it('names in comments only what exists', () => {
    const code = ours.filter((path) => /\.tsx?$/.test(path) && !/generated/.test(path))
    const identifier = /[A-Za-z_$][\w$]*/g
    const known = new Set(
      ['*.sql', '*.css', '*.json', '*.yml', '*.html'].flatMap((glob) =>
        execFileSync('git', ['grep', '-ohwE', '[A-Za-z_][A-Za-z0-9_]*', '--', glob], {
          cwd: ROOT,
          encoding: 'utf8',
          maxBuffer: 1 << 28,
        }).split('\n'),
      ),
    )
    const comments = code.flatMap((path) => {
      const text = read(path)
      const parsed = parseSync(path, text).comments
      let at = 0
      for (const { start, end } of [...parsed, { start: text.length, end: text.length }]) {
        for (const [name] of text.slice(at, start).matchAll(identifier)) known.add(name)
        at = end
      }
      return parsed.map(({ value, start }) => ({ value, at: `${path}:${lineAt(text, start)}` }))
    })
    const unknown = comments.flatMap(({ value, at }) =>
      [...value.matchAll(/`([A-Za-z_$][\w$]*)`/g)]
        .filter(([, name = '']) => !known.has(name))
        .map(([, name]) => `${at} ${name}`),
    )
    assert.deepEqual(unknown, [])
  })

  it('names every error after its class', () => {
    const wrong = ours
      .filter((path) => /^(src|packages|panel\/src)\/.*\.tsx?$/.test(path))
      .flatMap((path) =>
        [...read(path).matchAll(/class (\w+) extends \w*Error[^{]*\{(.*?)\n\}/gs)].flatMap(
          ([, name, body = '']) => {
            const given = /this\.name = '(\w+)'/.exec(body)?.[1] ?? name
            return given === name ? [] : [`${path}: ${name} is called ${given}`]
          },
        ),
      )
    assert.deepEqual(wrong, [])
  })

  it('keeps commit subjects within 72 characters and without a period', () => {
    const log = execFileSync(
      'git',
      ['log', `--since=${RULED_SINCE}`, '--no-merges', '--format=%s'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    )
    const long = log
      .split('\n')
      .filter((subject) => subject.length > MAX_SUBJECT || subject.endsWith('.'))
    assert.deepEqual(long, [])
  })
})
