import { Type } from 'typebox'
import { Timestamp } from '../../kernel/schemas.ts'
import { cameThroughProxy } from '../http/came-through-proxy.ts'
import { hostnameOf } from '../http/host.ts'
import type { Server } from '../http/server.ts'
import type { Mailer } from './mail.port.ts'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/** The mails of a server that sends none, so that a new operator can read them on the machine it runs on. */
const LocalMails = Type.Object(
  {
    local: Type.Boolean({ description: 'Whether mails are read here' }),
    items: Type.Array(
      Type.Object(
        { at: Timestamp, to: Type.String(), subject: Type.String(), text: Type.String() },
        { title: 'LocalMail' },
      ),
    ),
  },
  { title: 'LocalMails' },
)

/**
 * Adds the route of the panel's *Caixa de e-mails*. It returns mails only if no mail server is configured, the panel is
 * at `localhost`, and the request comes from this machine (G57).
 */
export function addMailPanelRoute(
  server: Server,
  { mailer, panelUrl }: { mailer: Mailer; panelUrl: string },
): void {
  const { recent } = mailer
  const isLocal = new URL(panelUrl).hostname === 'localhost'
  server.get(
    '/panel/api/mails',
    { schema: { hide: true, response: { 200: LocalMails } } },
    async (request) => {
      // Another site may point its own name at this machine (DNS rebinding), so the request's host name must be local.
      const called = hostnameOf(request.headers) === 'localhost' && !cameThroughProxy(request)
      const local = isLocal && called && LOOPBACK.test(request.ip)
      return recent && local ? { local, items: recent() } : { local: false, items: [] }
    },
  )
}
