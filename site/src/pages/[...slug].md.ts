import type { APIContext } from 'astro'
import { getCollection, type CollectionEntry } from 'astro:content'

/** One Markdown file per page, at its address with `.md`. */
export async function getStaticPaths() {
  const entries = await getCollection('docs')
  return entries.map((entry) => ({ params: { slug: entry.id || 'index' }, props: { entry } }))
}

/** The page as it was written: pages are plain Markdown. */
export function GET({ props: { entry } }: APIContext<{ entry: CollectionEntry<'docs'> }>) {
  const { title, description } = entry.data
  const head = description ? `# ${title}\n\n> ${description}` : `# ${title}`
  return new Response(`${head}\n\n${(entry.body ?? '').trim()}\n`)
}
