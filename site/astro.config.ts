import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import starlightOpenAPI, { createOpenAPISidebarGroup } from 'starlight-openapi'
import { finishReference } from './src/finish-reference.ts'
import { listPages } from './src/list-pages.ts'
import { DOCUMENTS } from './src/translate-reference.ts'

/** A group of the sidebar, with its label in each language. */
const group = (label: string, en: string, es: string, items: string[]) => ({
  label,
  translations: { en, es },
  items,
})

/** Writes the translated document where the plugin reads it, and returns the path. */
function writeDocument(language: 'en' | 'es'): string {
  const folder = fileURLToPath(new URL('.reference', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const file = `${folder}/${language}.json`
  writeFileSync(file, JSON.stringify(DOCUMENTS[language]))
  return file
}

/** The reference in each language; the sidebar shows that of the page (`src/markdown-link.ts`). */
const EDITIONS = [
  { locale: 'root', base: 'referencia', schema: '../openapi.json', label: 'Referência da API' },
  {
    locale: 'en',
    base: 'en/referencia',
    schema: writeDocument('en'),
    label: 'API reference',
  },
  {
    locale: 'es',
    base: 'es/referencia',
    schema: writeDocument('es'),
    label: 'Referencia de la API',
  },
].map((edition) => ({ ...edition, group: createOpenAPISidebarGroup() }))

/** The guides in the order of the sidebar. */
const GUIDES = [
  group('Comece aqui', 'Start here', 'Empieza aquí', ['inicio-rapido', 'sem-telefone', 'producao']),
  group('Enviar', 'Send', 'Enviar', [
    'guias/enviar',
    'guias/arquivos',
    'guias/agendar',
    'guias/grupos',
    'guias/campanhas',
    'guias/ritmo',
    'guias/api-oficial',
  ]),
  group('Receber', 'Receive', 'Recibir', ['guias/receber', 'guias/verificar', 'guias/websocket']),
  group('Confiar', 'Rely on it', 'Confiar', [
    'guias/erros',
    'guias/idempotencia',
    'guias/limites',
    'guias/chaves',
  ]),
  group('Ferramentas', 'Tools', 'Herramientas', [
    'ferramentas/sdk',
    'ferramentas/cli',
    'ferramentas/mcp',
  ]),
  group('Operar', 'Operate', 'Operar', [
    'operar/instalar',
    'operar/configurar',
    'operar/vigiar',
    'operar/copias',
  ]),
  group('Migrar', 'Migrate', 'Migrar', ['migrar/evolution', 'migrar/z-api', 'migrar/waha']),
]

// The public address of the site; set SITE where it is served from another.
const site = process.env['SITE'] ?? 'https://docs.recado.example'

export default defineConfig({
  site,
  integrations: [
    finishReference(),
    starlight({
      title: 'Recado',
      description: 'Gateway de mensagens: pareie um número, envie por HTTP e receba eventos.',
      defaultLocale: 'root',
      locales: {
        root: { label: 'Português', lang: 'pt-BR' },
        en: { label: 'English', lang: 'en' },
        es: { label: 'Español', lang: 'es' },
      },
      customCss: ['./src/styles/site.css'],
      routeMiddleware: './src/markdown-link.ts',
      plugins: [
        starlightOpenAPI(
          EDITIONS.map(({ base, schema, label, group }) => ({
            base,
            schema,
            sidebar: { label, group, operations: { badges: true } },
          })),
        ),
        starlightLlmsTxt({
          projectName: 'Recado',
          description:
            'Recado is an open-source messaging gateway: pair a WhatsApp number by QR code, send messages over HTTP, and receive events as signed webhooks. Test runs on a simulated network, without a phone.',
          details: listPages(
            site,
            GUIDES.map(({ translations, items }) => ({ label: translations.en, items })),
          ),
        }),
        starlightLinksValidator({
          exclude: ['/referencia/**', '/*/referencia/**', '/*.md', '/**/*.md'],
        }),
      ],
      sidebar: [
        ...GUIDES,
        ...EDITIONS.map(({ locale, group: items }) => ({
          label: `reference-${locale}`,
          items: [items],
        })),
      ],
    }),
  ],
})
