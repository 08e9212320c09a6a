import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The one font of the first paint. */
const FIRST_FONT = /instrument-sans-latin-wght-normal.*\.woff2$/
/** The script that the first one of every page imports. */
const FIRST_PARTS = /\/parts-[\w-]+\.js$/

/** Lets the browser fetch what every page needs at once, instead of after the styles and the first script. */
function preloadFirst(): Plugin {
  const link = (attrs: Record<string, string>) => ({
    tag: 'link',
    attrs: { ...attrs, crossorigin: '' },
    injectTo: 'head' as const,
  })
  return {
    name: 'preload-first',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle).flatMap((file) => {
          const href = `/${file}`
          if (FIRST_PARTS.test(file)) return link({ rel: 'modulepreload', href })
          if (!FIRST_FONT.test(file)) return []
          return link({ rel: 'preload', as: 'font', type: 'font/woff2', href })
        }),
    },
  }
}

/** Files of the panel's parts, with all that they import. */
const parts = (...names: string[]) => new RegExp(`/panel/src/.*/(${names.join('|')})\\.tsx?$`)

/**
 * Few files instead of many small ones, as a phone fetches six at a time over HTTP/1.1: what all pages need, what those
 * behind the sign-in need, and the larger parts that many of them share.
 */
const GROUPS = [
  { name: 'base', tags: ['$initial' as const], priority: 5 },
  { name: 'parts', test: parts('auth', 'controls', 'load', 'form', 'dialog', 'time'), priority: 4 },
  { name: 'frame', test: parts('shell', 'home'), priority: 3 },
  { name: 'menus', test: parts('menu'), priority: 2 },
  { name: 'table', test: parts('table'), priority: 1 },
]

// oxlint-disable-next-line import/no-default-export -- Vite loads the default export
export default defineConfig({
  plugins: [react(), preloadFirst()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
})
