import { defineRouteMiddleware } from '@astrojs/starlight/route-data'

const REFERENCE = /^\/((en|es)\/)?referencia/
/** Labels of the groups that hold the reference of one language: see `astro.config.ts`. */
const EDITION = /^reference-(\w+)$/

/**
 * Links each page to its Markdown twin, for programs that read the site, and leaves in the sidebar only the reference of
 * the page's language.
 */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const route = locals.starlightRoute
  const { entry, head, locale = 'root' } = route
  route.sidebar = route.sidebar.flatMap((item) => {
    const [, edition] = EDITION.exec(item.label) ?? []
    if (edition === undefined) return [item]
    return edition === locale && item.type === 'group' ? item.entries : []
  })
  const isReference = REFERENCE.test(url.pathname)
  if (entry.id === '404' || (!entry.filePath && !isReference)) return
  const path = isReference ? url.pathname.replace(/^\/|\/$/g, '') : entry.id || 'index'
  head.push({
    tag: 'link',
    attrs: { rel: 'alternate', type: 'text/markdown', href: `/${path}.md` },
  })
})
