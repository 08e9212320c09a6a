import { Type } from 'typebox'
import { Timestamp } from '../../kernel/shapes.ts'
import { hostnameOf } from '../http/host.ts'
import type { Server } from '../http/server.ts'
import type { Mailer } from './mail.port.ts'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/** The mails of a server that sends none, as a newcomer reads them on the machine where it runs. */
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
 * The panel's *Caixa de e-mails*: only without a mail server, under `localhost`, and for who asks from this very machine.
 * Source: panel §2.
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
    async ({ ip, headers }) => {
      // A page of another site may have its name lead here: what it was called by tells.
      const called = hostnameOf(headers) === 'localhost' && headers['x-forwarded-for'] === undefined
      const local = isLocal && called && LOOPBACK.test(ip)
      return recent && local ? { local, items: recent() } : { local: false, items: [] }
    },
  )
}
