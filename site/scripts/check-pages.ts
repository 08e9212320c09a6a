// Part of `npm run check`: every page exists in the three languages, with the same code, and as Markdown in the build.
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
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
