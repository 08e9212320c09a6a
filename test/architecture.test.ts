// The walls of the house (ARCHITECTURE.md), as a table. A planted break must fail here.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { MODULES } from './kit/modules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = join(ROOT, 'src')

/** The same inside a module. A module without an entry has no submodules; its own files stand under ''. */
const SUBMODULES: Record<string, string[][]> = {
  platform: [
    ['db', 'egress', 'metrics', 'auth'],
    ['bus', 'nodes', 'idempotency'],
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
    ['groups', 'labels', 'calls'],
    ['messages'],
    ['phones'],
    ['inbound'],
  ],
  operations: [['alerts', 'privacy', 'vitals'], ['ops'], ['']],
}
/** Modules below the domain: any of their files may be imported from the right. */
const FOUNDATION = new Set(['kernel', 'platform', 'model', 'networks'])
/** What a room shows to the rooms on its right. */
const DOORS = /\.(service|schemas|worker|port)\.ts$|catalog\/index\.ts$/
/** Files that speak HTTP: the edge itself, routes, and the two helpers of routes that write replies. */
const isEdge = (path: string) =>
  path.startsWith('platform/http/') ||
  /\.(routes|panel)\.ts$/.test(path) ||
  ['instances/qr-stream.ts', 'company/sessions/session-cookies.ts'].includes(path) ||
  path === 'platform/create-platform.ts'
/** Which packages may be imported where. */
const PACKAGES: [RegExp, RegExp][] = [
  [/^postgres$|^postgrator$/, /^platform\/db\//],
  [/^ws$|^@fastify\/websocket$/, /^events\/streams\//],
  [
    /^fastify$|^@fastify\//,
    /^platform\/http\/|\.routes\.ts$|\.panel\.ts$|qr-stream\.ts$|session-cookies\.ts$|^app\/add-routes\.ts$/,
  ],
  [/^@nats-io\//, /^platform\/bus\/nats\.ts$/],
  [/^undici$/, /^platform\/egress\/(safe-fetch|egress-connect|egress-door)\.ts$/],
  [/^baileys/, /^networks\/whatsapp\//],
  [/^bowser$/, /^company\/sessions\/sign-in-from\.ts$/],
  [/^csv-stringify/, /^company\/audit\/to-csv\.ts$/],
  [/^csv-parse$/, /^campaigns\/read-csv\.ts$/],
  [/^@date-fns\/tz$/, /^(kernel\/day|campaigns\/sending-window)\.ts$/],
  [/^entities$/, /^networks\/whatsapp\/previews\.ts$/],
  [/^libphonenumber-js/, /^kernel\/national-number\.ts$/],
  [/^@zxcvbn-ts\//, /^company\/accounts\/common-passwords\.ts$/],
  [/^otpauth$/, /^company\/accounts\/second-factor\.service\.ts$/],
  [/^stripe$/, /^company\/payments\/(from-)?stripe\.ts$/],
  [/^socks$/, /^platform\/egress\/proxy-tunnel\.ts$/],
  [/^nodemailer$/, /^platform\/mail\//],
  [/^sharp$|^file-type$|^music-metadata$/, /^media\//],
  [/^@aws-sdk\//, /^media\/s3-store\.ts$/],
  [/^prom-client$/, /^platform\/metrics\/metrics\.ts$/],
]
/** Things that stand in one place only. */
const ONCE: [RegExp, string[]][] = [
  [/process\.env/, ['kernel/config/env.ts']],
  [/Date\.now\(/, ['kernel/clock.ts']],
  [/new Date\(\)/, []],
  [/Math\.random\(/, ['kernel/ids.ts']],
  [/(?<![.\w])(setTimeout|setInterval)\(/, ['kernel/clock.ts', 'main.ts']],
  [/\bfetch\(/, []],
  [/'(Dono|Admin|Desenvolvedor|Atendente|Financeiro)'/, ['kernel/permissions.ts']],
  [/\bconsole\./, []],
]
/** Where adapters are chosen. */
const ROOTS = new Set([
  'platform/create-platform.ts',
  'networks/create-networks.ts',
  'company/create-company.ts',
])

/** What is a list may go past 300 lines. */
const LISTS = new Set(['kernel/phrases/pt-br.ts'])

type File = { path: string; module: string; submodule: string; text: string; imports: string[] }

function walk(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(dir, entry.name)) : [join(dir, entry.name)],
  )
}
/** The module and submodule of a path below `src/`. */
function placeOf(path: string): { module: string; submodule: string } {
  const [module = '', second = '', ...others] = path.split('/')
  if (second === '') return { module: '', submodule: '' }
  // The catalog of events is the module's own.
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
    return { path, ...placeOf(path), text, imports }
  })
const code = files.filter(
  ({ path }) => !path.endsWith('.test.ts') && path !== 'networks/conformance.ts',
)
const rankOf = (order: string[][], name: string) => order.findIndex((group) => group.includes(name))
const targetOf = (file: File, specifier: string) =>
  relative(SRC, join(SRC, dirname(file.path), specifier))

/** Constructs its module from all of its parts; its result is what later modules are given. */
const isComposition = (path: string) => {
  const { module } = placeOf(path)
  return path === `${module}/create-${module}.ts`
}

/** The imports of other files in `src/`. */
const links = code.flatMap((file) =>
  file.imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ file, target: targetOf(file, specifier) })),
)
/** Whether a file of this module shows itself to those on its right. */
const isDoor = (target: string) =>
  FOUNDATION.has(placeOf(target).module) || DOORS.test(target) || isComposition(target)

describe('the architecture', () => {
  it('has twelve modules, their known submodules and two programs', () => {
    assert.ok(code.length > 100, `${code.length} files`)
    assert.deepEqual(
      readdirSync(SRC).toSorted(),
      [...MODULES.flat(), 'main.ts', 'cli.ts'].toSorted(),
    )
    const unknown = code.filter(
      ({ path, module, submodule }) =>
        module in SUBMODULES &&
        !isComposition(path) &&
        rankOf(SUBMODULES[module] ?? [], submodule) === -1,
    )
    assert.deepEqual(
      unknown.map(({ path }) => path),
      [],
    )
  })

  it('imports only modules to the left, and their services, schemas, workers and ports', () => {
    const breaks = links.flatMap(({ file, target }) => {
      const from = rankOf(MODULES, file.module)
      const { module } = placeOf(target)
      if (file.module === '' || module === file.module) return []
      if (module === '' || rankOf(MODULES, module) >= from) {
        return [`${file.path} imports ${target}, which is not to its left`]
      }
      const open = file.module === 'app' || isDoor(target)
      return open ? [] : [`${file.path} imports ${target}, which is internal to ${module}`]
    })
    assert.deepEqual(breaks, [])
  })

  it('imports inside a module only submodules to the left', () => {
    const breaks = links.flatMap(({ file, target }) => {
      const { module, submodule } = placeOf(target)
      const order = SUBMODULES[module]
      if (!order || module !== file.module || submodule === file.submodule) return []
      if (isComposition(file.path)) return []
      const [from, to] = [rankOf(order, file.submodule), rankOf(order, submodule)]
      // Submodules of the foundation that stand side by side may use one another.
      if (to > from || (to === from && !FOUNDATION.has(module))) {
        return [`${file.path} imports ${target}, which is not to its left`]
      }
      return isDoor(target) ? [] : [`${file.path} imports ${target}, which is internal`]
    })
    assert.deepEqual(breaks, [])
  })

  it('keeps the HTTP edge and Fastify out of services, statements, workers and helpers', () => {
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

  it('lets nobody but the composition roots import an adapter', () => {
    const adapters =
      /^networks\/(simulator|whatsapp)\/|^platform\/bus\/(nats|postgres)\.ts$|^platform\/mail\/(smtp|mail-files)\.ts$|^company\/payments\/((from-)?stripe|manual)\.ts$/
    const breaks = code.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier))
        .filter((target) => adapters.test(target) && dirname(target) !== dirname(file.path))
        .filter(() => !ROOTS.has(file.path))
        .map((target) => `${file.path} imports ${target}`),
    )
    assert.deepEqual(breaks, [])
  })

  it('keeps each package in its place', () => {
    const breaks = code.flatMap((file) =>
      file.imports.flatMap((specifier) =>
        PACKAGES.filter(([name, place]) => name.test(specifier) && !place.test(file.path)).map(
          () => `${file.path} imports ${specifier}`,
        ),
      ),
    )
    assert.deepEqual(breaks, [])
  })

  it('does each of these things once', () => {
    const breaks = code.flatMap((file) =>
      ONCE.filter(([what, places]) => what.test(file.text) && !places.includes(file.path)).map(
        ([what]) => `${file.path} uses ${what}`,
      ),
    )
    assert.deepEqual(breaks, [])
  })

  it('writes SQL only in *.sql.ts', () => {
    const breaks = code
      .filter(({ path }) => !path.endsWith('.sql.ts') && !path.startsWith('platform/db/'))
      .filter(
        ({ path }) => path !== 'platform/bus/postgres.ts' && path !== 'platform/http/health.ts',
      )
      .filter(({ text }) => /\bsql`/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('runs no statement as the system in a function that has a scope', () => {
    const breaks = code
      .filter(({ path }) => path.endsWith('.sql.ts'))
      .flatMap(({ path, text }) =>
        text
          .split(/(?=^(?:export )?(?:async )?function )/m)
          .slice(1)
          .filter((body) => /scope: (Pick<)?Scope/.test(body) && /\bsystem[<`]/.test(body))
          .map((body) => `${path} ${/function (\w+)/.exec(body)?.[1]}`),
      )
    // Sets a timeout before the statement that has the scope.
    assert.deepEqual(breaks, ['platform/idempotency/idempotency.sql.ts takeKey'])
  })

  it('does not compile a scoped statement that ignores its scope', () => {
    const dir = mkdtempSync(join(tmpdir(), 'recado-planted-'))
    try {
      const planted = (where: string) => `
        import { ownedBy, within, granted, type Db, type Scope } from '${SRC}/platform/db/sql.ts'
        export const find = (db: Db, scope: Scope, now: Date, id: string) =>
          [ownedBy, within, granted, now].length && db.scoped\`select 1 from message where ${where}\``
      const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] }
      const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.mts'] }
      writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
      writeFileSync(join(dir, 'kept.mts'), planted('id = ${id} and ${within(db, scope, now)}'))
      writeFileSync(join(dir, 'left-out.mts'), planted('id = ${id}'))
      writeFileSync(join(dir, 'mode-only.mts'), planted('id = ${id} and mode = ${scope.mode}'))
      writeFileSync(join(dir, 'key-only.mts'), planted('${granted(db, scope, now)} and id = ${id}'))
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

  it('speaks Portuguese only in phrases, schemas of the reference, routes and events', () => {
    const spoken =
      /^kernel\/phrases\/|\.routes\.ts$|\.schemas\.ts$|^events\/|^model\/(kinds\/|media-fields)|^platform\/http\/openapi\.ts$/
    const breaks = code
      .filter(({ path }) => !spoken.test(path))
      .filter(({ text }) => /[ãõçáéíóúâêô]/i.test(text.replace(/São Paulo|Pão/g, '')))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('has no file past 300 lines, no default export and no barrel', () => {
    const long = code.filter(({ path, text }) => text.split('\n').length > 301 && !LISTS.has(path))
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
})
