import type { Company } from '../company/create-company.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import type { Platform } from '../platform/create-platform.ts'
import { createOperatorsService } from './operators/operators.service.ts'
import { createAlertsService } from './alerts/alerts.service.ts'
import { startErasure } from './privacy/erasure.worker.ts'
import { createPrivacyService } from './privacy/privacy.service.ts'
import { startVitals } from './vitals/vitals.worker.ts'

/** Creates the module `operations`: metrics of the installation, alerts by mail, the operator's pages, export and erasure. */
export function createOperations(
  stack: AsyncDisposableStack,
  deps: {
    platform: Platform
    company: Company
    instances: InstancesService
    panelUrl: string
  },
) {
  const { platform, company, instances, panelUrl } = deps
  const {
    db,
    clock,
    activity,
    bus,
    node,
    mailer,
    metrics,
    runInBackground: inBackground,
    onError,
  } = platform
  const { audit, billing, projects, sessions, members, payments } = company
  const vitals = startVitals({ db, clock, activity, bus, node, metrics, onError })
  stack.defer(() => vitals.stop())
  const alerts = createAlertsService({ db, clock, activity, mailer, audit, panelUrl, onError })
  stack.defer(() => alerts.stop())
  const privacy = createPrivacyService({
    db: db.patient,
    clock,
    audit,
    mailer,
    projects,
    sessions,
    members,
    payments,
    instances,
    publish: bus.publish,
    inBackground,
    onError,
  })
  const erasure = startErasure({ db: db.patient, clock, instances, activity, onError })
  stack.defer(() => erasure.stop())
  const operators = createOperatorsService({
    clock,
    audit,
    billing,
    projects,
    publish: bus.publish,
  })
  return { alerts, privacy, operators }
}

/** The module `operations`. */
export type Operations = ReturnType<typeof createOperations>
