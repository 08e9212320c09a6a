import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify from 'fastify'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Server } from './server.ts'

const PREFIX = '/docs'
const SCRIPT = `${PREFIX}/js/scalar.js`
/**
 * Inline styles are allowed because the reference uses them; scripts and the reader's requests are limited to this
 * origin.
 */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * Serves the readable reference at /docs, with requests that can be tried on the host that serves it: on the sandbox
 * host they cost nothing. Loads everything from this origin.
 */
export function addReference(server: Server, { sandboxUrl }: { sandboxUrl: string }): void {
  let script: Promise<Buffer> | null = null
  const options = { schema: { hide: true }, config: { unlogged: true } }

  server.get(PREFIX, options, (_request, reply) => reply.redirect(`${PREFIX}/`))
  server.get(`${PREFIX}/`, options, (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page()),
  )
  server.get(`${PREFIX}/start.js`, options, ({ mode }, reply) => {
    const words = say.docs.reference
    const description = mode === 'test' ? words.test : words.production(`${sandboxUrl}${PREFIX}/`)
    return reply.type('text/javascript; charset=utf-8').send(
      `Scalar.createApiReference('#app', ${JSON.stringify({
        url: '/openapi.json',
        servers: [{ url: '/', description }],
        defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
        defaultOpenAllTags: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        persistAuth: false,
        authentication: { preferredSecurityScheme: 'apiKey' },
        telemetry: false,
        withDefaultFonts: false,
        agent: { disabled: true },
        mcp: { disabled: true },
      })})`,
    )
  })
  server.get(SCRIPT, options, async (_request, reply) => {
    script ??= loadScript().catch((error: unknown) => {
      script = null
      throw error
    })
    const compressed = await script
    void reply.header('cache-control', 'public, max-age=86400').header('vary', 'accept-encoding')
    void reply.type('text/javascript; charset=utf-8').header('content-encoding', 'gzip')
    return reply.send(compressed)
  })
}

const page = () => `<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${say.docs.title}</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="${SCRIPT}"></script>
    <script src="${PREFIX}/start.js"></script>
  </body>
</html>
`

/**
 * Returns the script of the reference, compressed. The package embeds it in a Fastify plugin; it is five megabytes, so
 * it is loaded on the first visit only.
 */
async function loadScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = Fastify()
  await inner.register(scalar, { routePrefix: PREFIX, configuration: { url: '/openapi.json' } })
  const { rawPayload } = await inner.inject(SCRIPT)
  await inner.close()
  return promisify(gzip)(rawPayload)
}
