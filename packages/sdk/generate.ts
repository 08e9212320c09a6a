// `npm run sdk`: generates src/generated from openapi.json. With --check, compares instead of writing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NOT_CALLS } from './not-calls.ts'
import { renderResources } from './render-resources.ts'

const GENERATOR = ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3']
/** Parts of the generator's runtime that no call uses. */
const UNUSED = ['index.ts', 'core/params.gen.ts', 'core/queryKeySerializer.gen.ts']
const target = fileURLToPath(new URL('src/generated', import.meta.url))
const document = readDocument()
const work = mkdtempSync(join(tmpdir(), 'recado-sdk-'))
const output = join(work, 'generated')
try {
  const input = join(work, 'openapi.json')
  writeFileSync(input, JSON.stringify(document))
  writeFileSync(
    join(work, 'openapi-ts.config.mjs'),
    `export default ${JSON.stringify({
      input,
      output: { path: output, importFileExtension: '.ts', module: { extension: '.ts' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    })}`,
  )
  const packages = GENERATOR.map((name) => `--package=${name}`)
  const { status, stderr } = spawnSync(
    'npm',
    ['exec', '--yes', '--loglevel=error', ...packages, '--', 'openapi-ts'],
    {
      cwd: work,
    },
  )
  if (status !== 0) throw new Error(`openapi-ts exited with ${status}: ${stderr.toString()}`)
  for (const name of UNUSED) rmSync(join(output, name))
  // The generator's own runtime is not written for our compiler settings.
  for (const name of listFiles(output).filter((path) => /^(client|core)[/\\]/.test(path)))
    rewrite(name, (text) => `// @ts-nocheck\n${withoutUnused(withoutClient(name, text))}`)
  // Another name for the values of the type before it.
  rewrite('types.gen.ts', (text) =>
    text.replaceAll(/export type \w+Response = \w+Responses\[keyof \w+Responses\];\n\n?/g, ''),
  )
  // Types of one line need no blank line between them.
  rewrite('types.gen.ts', (text) => text.replaceAll(/^(export type \w+ = [^{\n]+;\n)\n/gm, '$1'))
  for (const name of listFiles(output)) rewrite(name, withShortComments)
  writeFileSync(join(output, 'once.gen.ts'), renderOnce())
  writeFileSync(join(output, 'resources.gen.ts'), renderResources())
  if (process.argv.includes('--check')) compare()
  else {
    rmSync(target, { recursive: true, force: true })
    cpSync(output, target, { recursive: true })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

/**
 * The document without what the SDK handles itself: error responses are classes, and the client has one credential.
 * Parameters are inlined in their operations, because the generator would export a type for each shared one.
 */
function readDocument(): object {
  type Parameter = { $ref?: string; in?: string; description?: string }
  type Operation = {
    operationId: string
    description?: string
    responses: Record<string, { $ref?: string; description?: string }>
    security?: unknown
    parameters?: Parameter[]
  }
  const parsed = JSON.parse(
    readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
  ) as {
    paths: Record<string, Record<string, Operation>>
    webhooks: Record<string, { post?: Operation }>
    security?: object[]
    components: {
      responses?: Record<string, object>
      parameters?: Record<string, Parameter>
      schemas?: Record<string, { title?: string }>
    }
  }
  const { parameters: shared = {} } = parsed.components
  // The client has one credential, which it adds itself.
  delete parsed.security
  for (const methods of Object.values(parsed.paths))
    for (const [method, { operationId }] of Object.entries(methods))
      if (NOT_CALLS.test(operationId)) delete methods[method]
  for (const operation of Object.values(parsed.paths).flatMap((methods) =>
    Object.values(methods),
  )) {
    delete operation.security
    // The summary says what a call does; the reference has the rest.
    delete operation.description
    operation.parameters = operation.parameters?.filter((parameter) => {
      const { in: place = '' } = {
        ...shared[parameter.$ref?.split('/').at(-1) ?? ''],
        ...parameter,
      }
      return place !== 'header'
    })
    for (const parameter of operation.parameters ?? []) {
      Object.assign(parameter, shared[parameter.$ref?.split('/').at(-1) ?? ''])
      delete parameter.$ref
      // The names of the ids in a path say it already.
      if (parameter.in === 'path') delete parameter.description
    }
    for (const [code, { $ref, ...response }] of Object.entries(operation.responses)) {
      const known = parsed.components.responses?.[$ref?.split('/').at(-1) ?? '']
      if (/^[45]/.test(code)) delete operation.responses[code]
      else operation.responses[code] = { ...known, ...response, description: '' }
    }
  }
  // Only the body of a delivery has a type.
  for (const { post } of Object.values(parsed.webhooks)) delete post?.parameters
  delete parsed.components.responses
  delete parsed.components.parameters
  // A title only repeats the name of its type.
  for (const schema of Object.values(parsed.components.schemas ?? {})) delete schema.title
  return parsed
}

/** Lists the POSTs that do not honor `Idempotency-Key`, as a module. */
function renderOnce(): string {
  type Operation = { operationId: string; parameters?: { $ref?: string }[] }
  const { paths } = JSON.parse(
    readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
  ) as { paths: Record<string, { post?: Operation }> }
  const isRepeatable = ({ parameters = [] }: Operation) =>
    parameters.some(({ $ref = '' }) => $ref.endsWith('/Idempotency-Key'))
  const names = Object.values(paths)
    .flatMap(({ post }) => (post && !isRepeatable(post) ? [post.operationId] : []))
    .filter((name) => !NOT_CALLS.test(name))
  return [
    '// This file is auto-generated by packages/sdk/generate.ts',
    '',
    "import * as api from './sdk.gen.ts';",
    '',
    '/** POSTs that do not honor Idempotency-Key: repeated only if they were not run. */',
    'export const ONCE = new Set<unknown>([',
    ...names.toSorted().map((name) => `    api.${name},`),
    ']);',
    '',
  ].join('\n')
}

function rewrite(name: string, change: (text: string) => string): void {
  const file = join(output, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** Writes each comment of one sentence on one line: in three, they would be an eighth of the code. */
function withShortComments(text: string): string {
  return text.replaceAll(/\/\*\*\n *\* ([^\n]*)\n *\*\/\n/g, '/** $1 */\n')
}

/** Leaves out the exports of files that were removed. */
function withoutUnused(text: string): string {
  return text.replaceAll(
    /export \{[^}]*\} from '..\/core\/(params|queryKeySerializer)\.gen\.ts';\n/g,
    '',
  )
}

/**
 * The generated client passes its option `client` on to the request, and Deno takes it for one of its own: leaves it out.
 */
function withoutClient(name: string, text: string): string {
  if (!name.endsWith('client.gen.ts') || !name.startsWith('client')) return text
  return withoutUnusedCode(withoutOwnOption(name, text))
}

/**
 * Leaves out what no call uses and a bundle with one call would carry: server-sent events, which would be half of it, and
 * credentials by operation, since the client has one.
 */
function withoutUnusedCode(text: string): string {
  const parts = [
    /import \{ createSseClient \} from '[^']+';\n/,
    /  const makeSseFn = [^]*?\n  \};\n\n/,
    /    sse: \{[^}]*\},\n/,
    /  setAuthParams,\n/,
    /    if \(opts\.security\) \{[^]*?\n    \}\n\n/,
  ]
  for (const part of parts) if (!part.test(text)) throw new Error(`the client has no ${part}`)
  return parts.reduce((shorter, part) => shorter.replace(part, ''), text)
}

function withoutOwnOption(name: string, text: string): string {
  const before = '...opts,\n      body: '
  if (!text.includes(before)) throw new Error(`${name} does not contain ${JSON.stringify(before)}`)
  return text.replace(before, '...opts,\n      client: undefined,\n      body: ')
}

function listFiles(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts'))
}

/** Exits with 1 if a committed file differs from the generated one. */
function compare(): void {
  const differing = [...new Set([...listFiles(output), ...listFiles(target)])].filter((name) => {
    const read = (dir: string) => {
      try {
        return readFileSync(join(dir, name), 'utf8')
      } catch {
        return null
      }
    }
    return read(output) !== read(target)
  })
  if (differing.length === 0) return
  process.stderr.write(`run npm run sdk: ${differing.join(', ')}\n`)
  process.exitCode = 1
}
