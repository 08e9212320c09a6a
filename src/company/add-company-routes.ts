import type { Config } from '../kernel/config/config.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import { ownerGuard, panelGuard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { addAuditPanelRoute } from './audit/audit.panel.ts'
import { addBillingPanelRoutes } from './billing/billing.panel.ts'
import type { Company } from './create-company.ts'
import { addKeyRoutes } from './keys/keys.routes.ts'
import { addMeRoutes } from './keys/me.routes.ts'
import { addMemberPanelRoutes } from './members/members.panel.ts'
import { addMemberRoutes } from './members/members.routes.ts'
import { addPaymentPanelRoutes } from './payments/payments.panel.ts'
import { addProjectPanelRoute } from './projects/projects.panel.ts'
import { addRequestPanelRoute } from './requests/requests.panel.ts'
import { addRequestRoutes } from './requests/requests.routes.ts'
import { addEmailChangePanelRoutes } from './sessions/change-email.panel.ts'
import { addMePanelRoute } from './sessions/me.panel.ts'
import { addPasswordPanelRoutes } from './sessions/password.panel.ts'
import { addSavedViewPanelRoutes } from './sessions/saved-views.panel.ts'
import { addSecondFactorPanelRoutes } from './sessions/second-factor.panel.ts'
import { createSessionCookies } from './sessions/session-cookies.ts'
import { addSessionRoutes } from './sessions/sessions.routes.ts'
import { addSignUpPanelRoutes } from './sessions/sign-up.panel.ts'

/** The services whose routes `company` adds. */
type Deps = Company & Pick<Platform, 'db'> & { config: Pick<Config, 'panelUrl'> }

/** Adds the routes of keys, members and requests to a surface, and to the API those of the account, which have no mode. */
export async function addCompanyRoutes(
  server: Server,
  deps: Deps,
  surface: Surface,
): Promise<void> {
  if (surface.kind === 'api') await addAccountRoutes(server, deps)
  addKeyRoutes(server, { ...deps, guard: surface.guard('keys') })
  addMemberRoutes(server, { ...deps, guard: surface.guard('organize') })
  const requests = { ...deps, guard: surface.guard('develop') }
  if (surface.kind === 'panel') return addRequestPanelRoute(server, requests)
  addMeRoutes(server, requests)
  addRequestRoutes(server, requests)
}

/** Adds the routes of accounts: sign-up, sign-in, members and payments. */
async function addAccountRoutes(server: Server, deps: Deps): Promise<void> {
  const { authenticator, config } = deps
  const cookies = createSessionCookies({ secure: config.panelUrl.startsWith('https:') })
  const owner = { ...deps, guard: ownerGuard(authenticator) }
  const panel = { ...deps, guard: panelGuard(authenticator) }
  addSignUpPanelRoutes(server, { ...deps, cookies })
  addPasswordPanelRoutes(server, { ...deps, cookies })
  addSecondFactorPanelRoutes(server, owner)
  const account = panelGuard(authenticator, { read: 'viewAccount', write: null })
  addMemberPanelRoutes(server, { ...panel, readGuard: account })
  addEmailChangePanelRoutes(server, owner)
  addBillingPanelRoutes(server, { ...panel, readGuard: account })
  await addPaymentPanelRoutes(server, owner)
  addMePanelRoute(server, owner)
  addSavedViewPanelRoutes(server, owner)
  addProjectPanelRoute(server, {
    ...deps,
    guard: panelGuard(authenticator, { read: 'manageProject', write: 'manageProject' }),
  })
  addAuditPanelRoute(server, {
    ...deps,
    guard: panelGuard(authenticator, { read: 'readAudit', write: null }),
  })
  addSessionRoutes(server, { ...deps, cookies })
}
