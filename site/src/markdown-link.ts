import { defineRouteMiddleware } from '@astrojs/starlight/route-data'

/** Links each page to its Markdown twin, for programs that read the site. */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const { entry, head } = locals.starlightRoute
  const isReference = url.pathname.startsWith('/referencia')
  if (entry.id === '404' || (!entry.filePath && !isReference)) return
  const path = isReference ? url.pathname.replace(/^\/|\/$/g, '') : entry.id || 'index'
  head.push({
    tag: 'link',
    attrs: { rel: 'alternate', type: 'text/markdown', href: `/${path}.md` },
  })
})
