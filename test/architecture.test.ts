// Enforces the module boundaries of ARCHITECTURE.md, which are listed as tables.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parseSync } from 'oxc-parser'
import { MODULES } from './kit/modules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')

/** Submodules in the same order. A module without an entry has none; '' is the module's own top-level files. */
const SUBMODULES: Record<string, string[][]> = {
  platform: [
    ['db', 'egress', 'metrics', 'tracing', 'auth'],
    ['bus', 'nodes', 'idempotency', 'workers'],
    ['http'],
    ['mail'],
    [''],
  ],
  company: [
    ['audit'],
    ['projects'],
    ['accounts'],
    ['sessions'],
    ['members'],
    ['billing'],
    ['payments'],
    ['keys'],
    ['requests'],
  ],
  events: [[''], ['webhooks'], ['inboxes'], ['deliveries'], ['streams']],
  messaging: [
    ['contacts'],
    ['conversations'],
    ['address-book', 'groups', 'labels', 'calls', 'notes', 'quick-replies', 'templates'],
    ['messages'],
    ['phones', 'schedules', 'health', 'profiles'],
    ['inbound'],
  ],
  operations: [['alerts', 'doctor', 'move', 'privacy', 'vitals'], ['operators'], ['ops'], ['']],
}
/** Modules below the domain, all of whose files may be imported by modules to their right. */
const FOUNDATION = new Set(['kernel', 'platform', 'model', 'networks'])
/** Public files of a module outside the foundation: only these may be imported by modules to its right. */
const PUBLIC_FILES = /\.(service|schemas|worker|port)\.ts$|catalog\/index\.ts$/
/** Files that may depend on HTTP: the HTTP edge, routes and the two route helpers that write replies. */
const isEdge = (path: string) =>
  path.startsWith('platform/http/') ||
  /\.(routes|panel)\.ts$|\/add-\w+-routes\.ts$/.test(path) ||
  ['instances/qr-stream.ts', 'company/sessions/session-cookies.ts'].includes(path) ||
  path === 'platform/create-platform.ts'
/** Pairs of package name and the files that may import that package. */
const PACKAGES: [RegExp, RegExp][] = [
  [/^postgres$|^postgrator$/, /^platform\/db\//],
  [/^ws$|^@fastify\/websocket$/, /^events\/streams\//],
  [
    /^fastify$|^@fastify\//,
    /^platform\/http\/|\.routes\.ts$|\.panel\.ts$|qr-stream\.ts$|session-cookies\.ts$|^app\/add-routes\.ts$/,
  ],
  [/^@nats-io\//, /^platform\/bus\/nats\.ts$/],
  [/^undici$/, /^platform\/egress\/(safe-fetch|egress-connect|outbound-client)\.ts$/],
  [/^baileys/, /^networks\/whatsapp\//],
  [/^bowser$/, /^company\/sessions\/sign-in-origin\.ts$/],
  [/^csv-stringify/, /^company\/audit\/to-csv\.ts$/],
  [/^csv-parse$/, /^campaigns\/read-csv\.ts$/],
  [/^@date-fns\/tz$/, /^(kernel\/day|campaigns\/sending-window)\.ts$/],
  [/^entities$/, /^(networks\/whatsapp\/previews|platform\/mail\/compose-mail)\.ts$/],
  [/^libphonenumber-js/, /^kernel\/national-number\.ts$/],
  [/^@zxcvbn-ts\//, /^company\/accounts\/common-passwords\.ts$/],
  [/^otpauth$/, /^company\/accounts\/second-factor\.service\.ts$/],
  [/^stripe$/, /^company\/payments\/(from-)?stripe\.ts$/],
  [/^socks$/, /^platform\/egress\/proxy-tunnel\.ts$/],
  [/^nodemailer$/, /^platform\/mail\//],
  [/^sharp$|^file-type$|^music-metadata$/, /^media\//],
  [/^@aws-sdk\//, /^media\/s3-store\.ts$/],
  [/^@opentelemetry\//, /^platform\/tracing\/otlp\.ts$/],
  [/^prom-client$/, /^platform\/metrics\//],
]
/** Patterns allowed only in the listed files. */
const RESTRICTED_PATTERNS: [RegExp, string[]][] = [
  [/process\.env/, ['kernel/config/env.ts']],
  [/Date\.now\(/, ['kernel/clock.ts']],
  [/new Date\(\)/, []],
  [/Math\.random\(/, ['kernel/ids.ts']],
  [/(?<![.\w])(setTimeout|setInterval)\(/, ['kernel/clock.ts', 'main.ts']],
  [/\bfetch\(/, []],
  [/'(Dono|Admin|Desenvolvedor|Atendente|Financeiro)'/, ['kernel/permissions.ts']],
  [/\bconsole\./, []],
]
/** Composition roots, which select adapters. */
const COMPOSITION_ROOTS = new Set([
  'platform/create-platform.ts',
  'networks/create-networks.ts',
  'company/create-company.ts',
])

/** Plain lists, exempt from the limit of 300 lines. */
const LENGTH_EXEMPT = new Set(['pt-br', 'en', 'es'].map((name) => `kernel/phrases/${name}.ts`))

type File = { path: string; module: string; submodule: string; text: string; imports: string[] }

function walk(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(dir, entry.name)) : [join(dir, entry.name)],
  )
}
/** The module and submodule of a path below `src/`. */
function moduleOf(path: string): { module: string; submodule: string } {
  const [module = '', second = '', ...others] = path.split('/')
  if (second === '') return { module: '', submodule: '' }
  // The event catalog belongs to the module itself and is not a submodule.
  const nested = others.length > 0 && module in SUBMODULES && second !== 'catalog'
  return { module, submodule: nested ? second : '' }
}
const files: File[] = walk(SRC)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    const path = relative(SRC, file)
    const imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
      (match) => match[1] ?? '',
    )
    return { path, ...moduleOf(path), text, imports }
  })
const code = files.filter(
  ({ path }) => !path.endsWith('.test.ts') && path !== 'networks/conformance.ts',
)
const rankOf = (order: string[][], name: string) => order.findIndex((group) => group.includes(name))
const targetOf = (file: File, specifier: string) =>
  relative(SRC, join(SRC, dirname(file.path), specifier))

/** Whether the file is the composition root of its module, whose result is passed to later modules. */
const isComposition = (path: string) => {
  const { module } = moduleOf(path)
  return path === `${module}/create-${module}.ts`
}
/** Whether the file puts the submodules of its module together: their services, or their routes. */
const joinsSubmodules = (path: string) =>
  isComposition(path) || path === `${moduleOf(path).module}/add-${moduleOf(path).module}-routes.ts`

/** All imports from one file of `src/` to another. */
const localImports = code.flatMap((file) =>
  file.imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ file, target: targetOf(file, specifier) })),
)
/** Whether modules to the right may import this file. */
const isPublicFile = (target: string) =>
  FOUNDATION.has(moduleOf(target).module) || PUBLIC_FILES.test(target) || isComposition(target)

describe('architecture', () => {
  it('src contains exactly the known modules and submodules and two programs', () => {
    assert.ok(code.length > 100, `${code.length} files`)
    assert.deepEqual(
      readdirSync(SRC).toSorted(),
      [...MODULES.flat(), 'main.ts', 'cli.ts'].toSorted(),
    )
    const unknown = code.filter(
      ({ path, module, submodule }) =>
        module in SUBMODULES &&
        !joinsSubmodules(path) &&
        rankOf(SUBMODULES[module] ?? [], submodule) === -1,
    )
    assert.deepEqual(
      unknown.map(({ path }) => path),
      [],
    )
  })

  it('a module imports only public files of modules to its left', () => {
    const breaks = localImports.flatMap(({ file, target }) => {
      const from = rankOf(MODULES, file.module)
      const { module } = moduleOf(target)
      if (file.module === '' || module === file.module) return []
      if (module === '' || rankOf(MODULES, module) >= from) {
        return [`${file.path} imports ${target}, which is not to its left`]
      }
      const open = file.module === 'app' || isPublicFile(target)
      return open ? [] : [`${file.path} imports ${target}, which is internal to ${module}`]
    })
    assert.deepEqual(breaks, [])
  })

  it('a submodule imports only public files of submodules to its left', () => {
    const breaks = localImports.flatMap(({ file, target }) => {
      const { module, submodule } = moduleOf(target)
      const order = SUBMODULES[module]
      if (!order || module !== file.module || submodule === file.submodule) return []
      if (joinsSubmodules(file.path)) return []
      const [from, to] = [rankOf(order, file.submodule), rankOf(order, submodule)]
      // Foundation submodules of the same rank may import one another.
      if (to > from || (to === from && !FOUNDATION.has(module))) {
        return [`${file.path} imports ${target}, which is not to its left`]
      }
      return isPublicFile(target)
        ? []
        : [`${file.path} imports ${target}, which is internal to ${submodule || module}`]
    })
    assert.deepEqual(breaks, [])
  })

  it('only HTTP files import Fastify and the HTTP edge', () => {
    const breaks = code
      .filter(({ path, module }) => module !== '' && module !== 'app' && !isEdge(path))
      .flatMap((file) =>
        file.imports
          .filter((specifier) => {
            const target = specifier.startsWith('.') ? targetOf(file, specifier) : specifier
            return /^platform\/http\/|^fastify$|^@fastify\//.test(target)
          })
          .map((specifier) => `${file.path} imports ${specifier}`),
      )
    assert.deepEqual(breaks, [])
  })

  it('only composition roots import adapters', () => {
    const adapters =
      /^networks\/(simulator|whatsapp)\/|^platform\/bus\/(nats|postgres)\.ts$|^platform\/mail\/(smtp|mail-files)\.ts$|^company\/payments\/((from-)?stripe|manual)\.ts$/
    const breaks = code.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier))
        .filter((target) => adapters.test(target) && dirname(target) !== dirname(file.path))
        .filter(() => !COMPOSITION_ROOTS.has(file.path))
        .map((target) => `${file.path} imports ${target}`),
    )
    assert.deepEqual(breaks, [])
  })

  it('each restricted package is imported only in its allowed files', () => {
    const breaks = code.flatMap((file) =>
      file.imports.flatMap((specifier) =>
        PACKAGES.filter(([name, place]) => name.test(specifier) && !place.test(file.path)).map(
          () => `${file.path} imports ${specifier}`,
        ),
      ),
    )
    assert.deepEqual(breaks, [])
  })

  it('the environment, system clock, timers, randomness and role names are used only in their allowed files', () => {
    const breaks = code.flatMap((file) =>
      RESTRICTED_PATTERNS.filter(
        ([what, places]) => what.test(file.text) && !places.includes(file.path),
      ).map(([what]) => `${file.path} uses ${what}`),
    )
    assert.deepEqual(breaks, [])
  })

  it('addresses of the network are taken apart only in the model and the networks', () => {
    // Examples and descriptions show addresses to readers of the API; digits precede them.
    const parses = /(?<![\d…`])@(?:s\.whatsapp\.net|g\.us|lid)\b/
    const panel = walk(join(SRC, '../panel/src'))
      .filter((file) => /\.tsx?$/.test(file) && !/phrases|\.test\./.test(file))
      .map((file) => ({ path: relative(SRC, file), text: readFileSync(file, 'utf8') }))
    const breaks = [...code, ...panel].filter(
      ({ path, text }) => !/^(model|networks)\//.test(path) && parses.test(text),
    )
    assert.deepEqual(
      breaks.map(({ path }) => path),
      [],
    )
  })

  it('the panel loads no phrases of the server, directly or through what it shares with it', () => {
    // Types are erased; what remains is in the browser.
    const loadedBy = (file: string) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'(\.[^']+\.tsx?)'/gm,
        ),
      ].map((match) => join(dirname(file), match[1] ?? ''))
    const reached = new Map<string, string>()
    const visit = (file: string, by: string) => {
      if (reached.has(file)) return
      reached.set(file, by)
      for (const target of loadedBy(file)) visit(target, file)
    }
    for (const file of walk(join(SRC, '../panel/src'))) {
      if (/(?<!\.test)\.tsx?$/.test(file)) visit(file, '')
    }
    const shared = [...reached].filter(([file]) => file.startsWith(`${SRC}/`))
    assert.ok(shared.length > 5, `${shared.length} shared files`)
    assert.deepEqual(
      shared
        .filter(([file]) => file.startsWith(`${SRC}/kernel/phrases/`))
        .map(([file, by]) => `${relative(ROOT, by)} loads ${relative(ROOT, file)}`),
      [],
    )
  })

  it('SQL is written only in *.sql.ts files', () => {
    const breaks = code
      .filter(({ path }) => !path.endsWith('.sql.ts') && !path.startsWith('platform/db/'))
      .filter(
        ({ path }) => path !== 'platform/bus/postgres.ts' && path !== 'platform/http/health.ts',
      )
      .filter(({ text }) => /\bsql`/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('no SQL function with a scope runs a statement as the system', () => {
    const breaks = code
      .filter(({ path }) => path.endsWith('.sql.ts'))
      .flatMap(({ path, text }) =>
        text
          .split(/(?=^(?:export )?(?:async )?function )/m)
          .slice(1)
          .filter((body) => /scope: (Pick<)?Scope/.test(body) && /\bsystem[<`]/.test(body))
          .map((body) => `${path} ${/function (\w+)/.exec(body)?.[1]}`),
      )
    assert.deepEqual(breaks, [])
  })

  it('no statement selects rows as the system from a query that it is given', () => {
    const breaks = code
      .filter(({ path }) => path.endsWith('.sql.ts'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\bsystem(?:<[^`]*>)?`[^`]*?\bfrom \(\$\{(\w+)\}\)/g)].map(
          ([, name]) => `${path} ${name}`,
        ),
      )
    assert.deepEqual(breaks, [])
  })

  it('does not compile a scoped statement that ignores its scope', () => {
    const dir = mkdtempSync(join(tmpdir(), 'recado-planted-'))
    try {
      const planted = (where: string) => `
        import { ownedBy, scopedTo, accessGranted, type Db, type Scope } from '${SRC}/platform/db/sql.ts'
        export const find = (db: Db, scope: Scope, now: Date, id: string) =>
          [ownedBy, scopedTo, accessGranted, now].length && db.scoped\`select 1 from message where ${where}\``
      const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] }
      const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.mts'] }
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
      writeFileSync(join(dir, 'kept.mts'), planted('id = ${id} and ${scopedTo(db, scope, now)}'))
      writeFileSync(join(dir, 'left-out.mts'), planted('id = ${id}'))
      writeFileSync(join(dir, 'mode-only.mts'), planted('id = ${id} and mode = ${scope.mode}'))
      writeFileSync(
        join(dir, 'key-only.mts'),
        planted('${accessGranted(db, scope, now)} and id = ${id}'),
      )
      const { stdout } = spawnSync('tsc', ['--noEmit', '-p', dir], { encoding: 'utf8' })
      const refused = [...stdout.matchAll(/([\w-]+)\.mts\(/g)].map((match) => match[1])
      assert.deepEqual(
        [...new Set(refused)].toSorted((a = '', b = '') => a.localeCompare(b)),
        ['key-only', 'left-out', 'mode-only'],
      )
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('Portuguese text occurs only in phrases, schemas, routes and events', () => {
    const portugueseAllowed =
      /^kernel\/phrases\/|\.routes\.ts$|\.schemas\.ts$|^events\/|^model\/(kinds\/|media-fields)|^platform\/http\/openapi\.ts$/
    const breaks = code
      .filter(({ path }) => !portugueseAllowed.test(path))
      .filter(({ text }) => /[ãõçáéíóúâêô]/i.test(text.replace(/São Paulo|Pão/g, '')))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('no file exceeds 300 lines, and there are no default exports and no barrel files', () => {
    const long = code.filter(
      ({ path, text }) => text.split('\n').length > 301 && !LENGTH_EXEMPT.has(path),
    )
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    )
    const exports = code.filter(({ text }) => /export default|export \* from/.test(text))
    assert.deepEqual(
      exports.map(({ path }) => path),
      [],
    )
  })

  it('no file of the panel or of a package exceeds 300 lines, except phrases and generated code, none names a role, and none packs properties to spread them', () => {
    const generated = /phrases|generated|api-types|\.test\./
    const own = ['panel/src', 'packages'].flatMap((dir) =>
      walk(join(SRC, '..', dir)).filter(
        (file) =>
          /\.tsx?$/.test(file) && !file.includes('node_modules') && !file.includes('/dist/'),
      ),
    )
    assert.ok(own.length > 200, `${own.length} files`)
    const written = own
      .map((file) => ({ path: relative(join(SRC, '..'), file), text: readFileSync(file, 'utf8') }))
      .filter(({ path }) => !generated.test(path))
    const long = written.filter(({ text }) => text.split('\n').length > 301)
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    )
    const packing = written.filter(({ text }) => text.includes('{...{'))
    assert.deepEqual(
      packing.map(({ path }) => path),
      [],
    )
    const naming = written.filter(({ text }) =>
      /'(Dono|Admin|Desenvolvedor|Atendente|Financeiro)'/.test(text),
    )
    assert.deepEqual(
      naming.map(({ path }) => path),
      [],
    )
  })

  it('every function ends within 80 lines, except factories, routes, statements and the conformance suite', () => {
    const isComposition = /^(create|start|open|add|describe)[A-Z]/
    const long = code
      .filter(({ path }) => !path.endsWith('.sql.ts'))
      .flatMap(({ path, text }) => {
        const { program } = parseSync(path, text)
        const found: string[] = []
        const visit = (node: unknown, name: string): void => {
          if (Array.isArray(node)) for (const item of node) visit(item, name)
          if (typeof node !== 'object' || node === null) return
          const {
            type,
            id,
            key,
            start = 0,
            end = 0,
          } = node as {
            type?: string
            id?: { name?: string } | null
            key?: { name?: string }
            start?: number
            end?: number
          }
          const own = id?.name ?? key?.name ?? name
          const lines = text.slice(start, end).split('\n').length
          if (/Function/.test(type ?? '') && lines > 80 && !isComposition.test(own)) {
            found.push(`${path} ${own}: ${lines} lines`)
          }
          for (const value of Object.values(node)) visit(value, own)
        }
        visit(program.body, '')
        return found
      })
    assert.deepEqual(long, [])
  })
})
