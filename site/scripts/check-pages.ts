// Part of `npm run check`: every page exists in the three languages, with the same code, and as Markdown in the build;
// links lead to pages and parts of pages that exist; llms.txt lists every guide; headings skip no level.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const docs = at('src/content/docs')
const codeOf = (page: string) => page.match(/^```[\s\S]*?^```$/gm) ?? []
const problems: string[] = []

const names = (folder: string) =>
  globSync('**/*.md', { cwd: folder }).filter((name) => !/^(en|es)\//.test(name))
const pages = names(docs)
for (const language of ['en', 'es']) {
  for (const name of names(join(docs, language)))
    if (!pages.includes(name)) problems.push(`${language}/${name} has no Portuguese page`)
}
for (const name of pages) {
  const code = codeOf(readFileSync(join(docs, name), 'utf8'))
  for (const language of ['en', 'es']) {
    const translated = join(docs, language, name)
    if (!existsSync(translated)) {
      problems.push(`${language}/${name} is missing`)
      continue
    }
    const same = JSON.stringify(codeOf(readFileSync(translated, 'utf8'))) === JSON.stringify(code)
    if (!same) problems.push(`${language}/${name} shows other code than ${name}`)
  }
  for (const path of [name, `en/${name}`, `es/${name}`])
    if (!existsSync(at(`dist/${path.replace(/(en|es)\/index\.md/, '$1.md')}`)))
      problems.push(`dist/${path} was not built`)
}

const dist = at('dist')
const built = new Map(
  globSync('**/*.html', { cwd: dist }).map((name) => {
    const html = readFileSync(join(dist, name), 'utf8')
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
    return [`/${name.replace(/index\.html$/, '')}`, { html, ids }] as const
  }),
)
for (const [page, { html }] of built) {
  const links = [...html.matchAll(/ href="(\/[^"]*|#[^"]*)"/g)].map(([, link = '']) => link)
  for (const link of new Set(links)) {
    const { pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://site${page}`)
    const target = built.get(pathname) ?? built.get(`${pathname}/`)
    const file = join(dist, decodeURIComponent(pathname))
    const exists = target
      ? hash === '' || target.ids.has(decodeURIComponent(hash.slice(1)))
      : existsSync(file)
    if (!exists) problems.push(`${page} links to ${link}, which is not there`)
  }
  const main = /<main[^]*<\/main>/.exec(html)?.[0] ?? ''
  const levels = [...main.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level))
  if (levels.some((level, index) => level > (levels[index - 1] ?? level) + 1))
    problems.push(`${page} has a heading that skips a level`)
  const twin = page === '/' ? '/index.md' : page.replace(/\/$/, '.md')
  if (/^\/((en|es)\/)?referencia\//.test(page) && !existsSync(join(dist, decodeURIComponent(twin))))
    problems.push(`${twin} was not built`)
}
// Agents find the guides there.
const overview = readFileSync(join(dist, 'llms.txt'), 'utf8')
const listed = [...overview.matchAll(/\]\((\S+)\)/g)].map(([, url = '']) => new URL(url).pathname)
for (const path of listed)
  if (!existsSync(join(dist, path))) problems.push(`llms.txt links to ${path}, which is not there`)
for (const name of pages)
  if (name !== 'index.md' && !listed.includes(`/en/${name}`))
    problems.push(`llms.txt does not list ${name}`)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
