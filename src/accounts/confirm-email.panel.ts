import type { Db } from '../db/sql.ts'
import { addLinkPage } from '../http/plain-page.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import { ConfirmEmailBody } from './accounts.schemas.ts'
import type { AccountsService } from './accounts.service.ts'

/** The page behind the link of the confirmation mail. */
export function addConfirmEmailPage(
  server: Server,
  deps: { db: Db; accounts: AccountsService },
): void {
  const { db, accounts } = deps
  const { confirmTitle: title, confirmAction: button, confirmDone } = say.docs
  addLinkPage(server, {
    ...{ path: '/confirmar-email', title, button, body: ConfirmEmailBody },
    async act({ token }) {
      await accounts.confirmEmail(db, token)
      return confirmDone
    },
  })
}
