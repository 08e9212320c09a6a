import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Platform } from '../platform/create-platform.ts'
import { ownerGuard, panelGuard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { addAlertPanelRoutes } from './alerts/alerts.panel.ts'
import type { Operations } from './create-operations.ts'
import { addProbeRoutes } from './doctor/probe.routes.ts'
import { addOperatorPanelRoutes } from './operators/operators.panel.ts'
import { addPrivacyPanelRoutes } from './privacy/privacy.panel.ts'

/** The services whose routes `operations` adds. */
type Deps = Operations & Pick<Platform, 'db' | 'clock' | 'seal'> & { authenticator: Authenticator }

/** Adds the routes of alerts, privacy and operators, and those that `doctor` calls. */
export function addOperationsRoutes(server: Server, deps: Deps): void {
  const { authenticator } = deps
  addProbeRoutes(server, deps)
  addPrivacyPanelRoutes(server, { ...deps, guard: ownerGuard(authenticator) })
  addAlertPanelRoutes(server, { ...deps, guard: panelGuard(authenticator) })
  addOperatorPanelRoutes(server, deps)
}
