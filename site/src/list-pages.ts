import { readFileSync } from 'node:fs'

/** A group of guides, in English. */
type Group = { label: string; items: string[] }

/** The list of all guides for `llms.txt`: each in English with its description, and how to find the other forms. */
export function listPages(site: string, groups: Group[]): string {
  const sections = groups.map(({ label, items }) => [
    `## ${label}`,
    items.map((item) => listPage(site, item)).join('\n'),
  ])
  return [
    'Every page is also served as Markdown: replace the final slash of its address with `.md`. Addresses without `/en` are in Portuguese, those with `/es` in Spanish.',
    ...sections.flat(),
    '## API reference',
    `- [Every operation](${new URL('/en/referencia.md', site)}): what it does, its fields and its errors`,
  ].join('\n\n')
}

function listPage(site: string, name: string): string {
  const page = readFileSync(new URL(`content/docs/en/${name}.md`, import.meta.url), 'utf8')
  const read = (field: string) =>
    new RegExp(`^${field}: '?(.+?)'?$`, 'm').exec(page)?.[1]?.replaceAll("''", "'") ?? ''
  return `- [${read('title')}](${new URL(`/en/${name}.md`, site)}): ${read('description')}`
}
