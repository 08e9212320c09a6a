import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The one font of the first paint. */
const FIRST_FONT = /instrument-sans-latin-wght-normal.*\.woff2$/

/** Lets the browser fetch the font beside the scripts instead of after the styles. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => FIRST_FONT.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              href: `/${file}`,
              crossorigin: '',
            },
            injectTo: 'head' as const,
          })),
    },
  }
}

// oxlint-disable-next-line import/no-default-export -- Vite loads the default export
export default defineConfig({
  plugins: [react(), preloadFont()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
})
