import { defineRouteMiddleware } from '@astrojs/starlight/route-data'

/** Links each page of the guides to its Markdown twin, for programs that read the site. */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { entry, head } = locals.starlightRoute
  if (!entry.filePath) return
  const href = `/${entry.id || 'index'}.md`
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href } })
})
