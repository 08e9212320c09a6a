// `npm run snippets`: writes the files of snippets/ into the code blocks that name them. `--check` only compares.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const BLOCK = /^```(\w+) file="([^"]+)"\n[\s\S]*?^```$/gm
const used = new Set<string>()
const stale: string[] = []

for (const path of globSync(at('src/content/docs/**/*.md'))) {
  const page = readFileSync(path, 'utf8')
  const written = page.replace(BLOCK, (_, language: string, file: string) => {
    used.add(file)
    return `\`\`\`${language} file="${file}"\n${readFileSync(at(`snippets/${file}`), 'utf8')}\`\`\``
  })
  if (written === page) continue
  if (process.argv.includes('--check')) stale.push(path)
  else writeFileSync(path, written)
}
const unused = globSync('**/*.*', { cwd: at('snippets') }).filter((file) => !used.has(file))
for (const path of stale) console.error(`${path}: run npm run snippets`)
for (const file of unused) console.error(`snippets/${file}: no page shows it`)
if (stale.length + unused.length > 0) process.exit(1)
