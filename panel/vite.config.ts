import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// oxlint-disable-next-line import/no-default-export -- Vite loads the default export
export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
})
