// Compares the compressed size of each panel page with its budget.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { PANEL_DIST } from '../src/app/build-panel.ts'

const ASSETS = join(PANEL_DIST, 'assets')
/** Budgets in gzipped kilobytes. */
const BUDGETS = { first: 170, home: 230, route: 45, large: 70, styles: 20, fonts: 60 }
/** Reviewed gzipped sizes of the first pages, in kilobytes; `MOST_GROWN` limits their growth. */
const KNOWN: Record<string, number> = { '/entrar': 135, '/teste/inicio': 150 }
const MOST_GROWN = 1.05
/** Pages with a larger budget. */
const LARGE = new Set(['conversations', 'phone', 'thread'])
/** Parts that a page loads later, by their page: they are measured beyond it. */
const PAGE_OF: Record<string, string> = { 'message-detail': 'messages' }

/** Compressed size of one page or asset group and its gzip budget, in kilobytes. */
export type Size = { what: string; gzip: number; brotli: number; budget: number }

/** A script and its transitive static imports, without lazily loaded pages. */
function closure(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const text = readFileSync(join(ASSETS, entry), 'utf8')
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)) {
    closure(name, seen)
  }
  return seen
}

function weigh(what: string, files: Iterable<string>, budget: number): Size {
  const bytes = [...files].map((name) => readFileSync(join(ASSETS, name)))
  const sum = (compress: (file: Buffer) => Buffer) =>
    bytes.reduce((total, file) => total + compress(file).length, 0) / 1024
  return {
    what,
    budget: Math.min(budget, (KNOWN[what] ?? budget) * MOST_GROWN),
    gzip: sum((file) => gzipSync(file, { level: 9 })),
    brotli: sum((file) => brotliCompressSync(file)),
  }
}

/** Measures the scripts, styles and fonts of each page of the built panel. */
export function panelSizes(): Size[] {
  const assets = readdirSync(ASSETS)
  const bytesOf = (file: string) => statSync(join(ASSETS, file)).size
  // The chunk of an icon may have the name of a page, which is larger.
  const chunk = (name: string) =>
    assets
      .filter(
        (file) => file.startsWith(`${name}-`) && /^-[\w-]{8}\.js$/.test(file.slice(name.length)),
      )
      .toSorted((one, other) => bytesOf(other) - bytesOf(one))[0] ?? ''
  const index = /assets\/([\w-]+\.js)/.exec(readFileSync(join(PANEL_DIST, 'index.html'), 'utf8'))
  const with_ = (name: string, among: Set<string>) => closure(chunk(name), new Set(among))
  // The sign-in and Início are in files of what other pages share: see the groups in vite.config.ts.
  const signIn = with_('parts', closure(index?.[1] ?? ''))
  const home = with_('frame', signIn)
  // Every page loads the user menu after its own scripts.
  const everywhere = with_('user-menu', home)
  const pages = readdirSync(join(PANEL_DIST, '../src/features'), { recursive: true })
    .map((file) => basename(String(file), '.tsx'))
    .filter((name) => chunk(name) !== '')
  const routes = pages.map((name) => {
    const page = PAGE_OF[name]
    const before = page === undefined ? everywhere : with_(page, everywhere)
    const files = [...with_(name, before)].filter((file) => !before.has(file))
    return weigh(name, files, LARGE.has(name) ? BUDGETS.large : BUDGETS.route)
  })
  return [
    weigh('/entrar', signIn, BUDGETS.first),
    weigh('/teste/inicio', home, BUDGETS.home),
    ...routes,
    weigh(
      'styles',
      assets.filter((name) => name.endsWith('.css')),
      BUDGETS.styles,
    ),
    weigh(
      'fonts',
      assets.filter((name) => /-latin-wght.*\.woff2$/.test(name)),
      BUDGETS.fonts,
    ),
  ]
}
