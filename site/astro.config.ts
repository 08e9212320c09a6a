import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi'
import { finishReference } from './src/finish-reference.ts'

/** A group of the sidebar, with its label in each language. */
const group = (label: string, en: string, es: string, items: string[]) => ({
  label,
  translations: { en, es },
  items,
})

export default defineConfig({
  // The public address of the site; set SITE where it is served from another.
  site: process.env['SITE'] ?? 'https://docs.recado.example',
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
        starlightOpenAPI([
          {
            base: 'referencia',
            schema: '../openapi.json',
            sidebar: { label: 'Referência da API', operations: { badges: true } },
          },
        ]),
        starlightLlmsTxt({
          projectName: 'Recado',
          description:
            'Recado is an open-source messaging gateway: pair a WhatsApp number by QR code, send messages over HTTP, and receive events as signed webhooks. Test runs on a simulated network, without a phone.',
          details:
            'Every page is also served as Markdown: replace the final slash of its address with `.md`.',
        }),
        starlightLinksValidator({ exclude: ['/referencia/**', '/*.md', '/**/*.md'] }),
      ],
      sidebar: [
        group('Comece aqui', 'Start here', 'Empieza aquí', [
          'inicio-rapido',
          'sem-telefone',
          'producao',
        ]),
        group('Enviar', 'Send', 'Enviar', [
          'guias/enviar',
          'guias/arquivos',
          'guias/agendar',
          'guias/grupos',
          'guias/campanhas',
          'guias/ritmo',
        ]),
        group('Receber', 'Receive', 'Recibir', [
          'guias/receber',
          'guias/verificar',
          'guias/websocket',
        ]),
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
        ...openAPISidebarGroups,
      ],
    }),
  ],
})
