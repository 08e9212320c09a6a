import { ConfirmEmailBody, SignUpBody } from '../accounts/accounts.schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { Accepted, NoContent } from '../../kernel/schemas.ts'
import { languageOf } from '../../platform/http/languages.ts'
import type { Server } from '../../platform/http/server.ts'
import type { FieldSentences } from '../../kernel/validation.ts'
import { randomToken } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { SessionCookies } from './session-cookies.ts'
import { readSignInOrigin } from './sign-in-origin.ts'
import { ConfirmAgainBody, ResendBody } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Adds the panel's private routes for signing up (G5). */
export function addSignUpPanelRoutes(
  server: Server,
  deps: { db: Db; sessions: SessionsService; cookies: SessionCookies },
): void {
  const { db, sessions, cookies } = deps
  const sentences: FieldSentences = {
    company: (say) => say.accounts.company,
    taxId: (say) => say.accounts.taxId,
    email: (say) => say.accounts.email,
    password: (say) => say.accounts.password,
  }

  /**
   * Returns 202 whether or not the address has an account; only the mail reveals it. Throws 429
   * after too many sign-ups.
   */
  server.post(
    '/panel/api/signup',
    {
      schema: { hide: true, body: SignUpBody, response: { 202: Accepted } },
      config: { sentences },
    },
    async (request, reply) => {
      const browser = randomToken('brw')
      const from = { address: request.ip, browser, language: languageOf(request) }
      await sessions.signUp(db, request.body, from)
      return cookies.markSignUp(reply, browser).code(202).send({})
    },
  )

  /** Mails the confirmation link again; returns 202. Throws 401 for wrong credentials. */
  server.post(
    '/panel/api/confirm-email/again',
    { schema: { hide: true, body: ConfirmAgainBody, response: { 202: Accepted } } },
    async (request, reply) => {
      const browser = randomToken('brw')
      const { email, password } = request.body
      await sessions.confirmAgain(
        db,
        { email, password, address: request.ip },
        { browser, language: languageOf(request) },
      )
      return cookies.markSignUp(reply, browser).code(202).send({})
    },
  )

  /**
   * Mails a new link to the address of the sign-up, which is identified by an old link or by the
   * browser that started it. Returns 202 even if the address is already confirmed; throws 400
   * without a token and a sign-up cookie.
   */
  server.post(
    '/panel/api/confirm-email/resend',
    { schema: { hide: true, body: ResendBody, response: { 202: Accepted } } },
    async (request, reply) => {
      const browser = cookies.signUpOf(request)
      const { token } = request.body
      if (token === undefined && browser === null) {
        throw fail('bad_request', (say) => say.accounts.noSignUpHere)
      }
      const from = { address: request.ip, language: languageOf(request) }
      await sessions.resend(db, { token, browser }, from)
      return reply.code(202).send({})
    },
  )

  /**
   * Confirms an email address; returns 204. If this browser started the sign-up, the response also
   * sets the session cookies, and the header `X-Recado-Signed-In`, because scripts cannot read
   * those cookies.
   */
  server.post(
    '/panel/api/confirm-email',
    { schema: { hide: true, body: ConfirmEmailBody, response: { 204: NoContent } } },
    async (request, reply) => {
      const browser = cookies.signUpOf(request)
      const from = await readSignInOrigin(request)
      const tokens = await sessions.confirmEmail(db, request.body.token, browser, from)
      if (tokens) cookies.open(reply, tokens).header('x-recado-signed-in', '1')
      return reply.code(204).send(null)
    },
  )
}
