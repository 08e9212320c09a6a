import type { APIContext } from 'astro'
import { getCollection, type CollectionEntry } from 'astro:content'
import { readReference } from '../reference.ts'

/** One Markdown file per page, at its address with `.md`. */
export async function getStaticPaths() {
  const entries = await getCollection('docs')
  return [
    ...entries.map((entry) => ({
      params: { slug: entry.id || 'index' },
      props: { markdown: writeGuide(entry) },
    })),
    ...readReference().map(({ slug, markdown }) => ({ params: { slug }, props: { markdown } })),
  ]
}

/** The page as it was written: guides are plain Markdown. */
function writeGuide({ data, body }: CollectionEntry<'docs'>): string {
  const { title, description } = data
  const head = description ? `# ${title}\n\n> ${description}` : `# ${title}`
  return `${head}\n\n${(body ?? '').trim()}\n`
}

export function GET({ props: { markdown } }: APIContext<{ markdown: string }>) {
  return new Response(markdown)
}
