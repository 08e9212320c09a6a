import fastifyCookie from '@fastify/cookie'
import { PANEL_DIST } from './build-panel.ts'
import { addPanelRoutes } from './add-panel-routes.ts'
import type { Modules } from './create-modules.ts'
import { addCampaignRoutes } from '../campaigns/campaigns.routes.ts'
import { addOptOutRoutes } from '../campaigns/opt-outs.routes.ts'
import { addCallRoutes } from '../messaging/calls/calls.routes.ts'
import { addAddressBookRoutes } from '../messaging/address-book/address-book.routes.ts'
import { addBlockedRoutes } from '../messaging/contacts/blocked.routes.ts'
import { addContactRoutes } from '../messaging/contacts/contacts.routes.ts'
import { addConversationRoutes } from '../messaging/conversations/conversations.routes.ts'
import { addGroupRoutes } from '../messaging/groups/groups.routes.ts'
import { addNoteRoutes } from '../messaging/notes/notes.routes.ts'
import { addHealthRoute } from '../messaging/health/health.routes.ts'
import { addPictureRoutes } from '../messaging/profiles/pictures.routes.ts'
import { addProfileRoutes } from '../messaging/profiles/profiles.routes.ts'
import { addQuickReplyRoutes } from '../messaging/quick-replies/quick-replies.routes.ts'
import { addLabelRoutes } from '../messaging/labels/labels.routes.ts'
import { addMediaRoutes } from '../media/media.routes.ts'
import { addPhoneCollectionRoutes } from '../messaging/phones/phone-collections.routes.ts'
import { addDeliveryRoutes } from '../events/deliveries/deliveries.routes.ts'
import { addPanelFiles } from '../platform/http/panel-files.ts'
import { addMcp } from '../platform/http/mcp.ts'
import { addHealthRoutes } from '../platform/http/health.ts'
import { traceRequests } from '../platform/http/trace-requests.ts'
import { addMetricsRoute } from '../platform/http/metrics-route.ts'
import {
  addOpenapi,
  addPanelDocument,
  describeEvents,
  serveOpenapi,
} from '../platform/http/openapi.ts'
import { addInboxReceiver, addInboxRoutes } from '../events/inboxes/inboxes.routes.ts'
import { addInstanceRoutes } from '../instances/instances.routes.ts'
import { addPairingLinkRoutes, addPublicPairingRoutes } from '../instances/pairing-links.routes.ts'
import { addPairingRoutes } from '../instances/pairing.routes.ts'
import { addMeRoutes } from '../company/keys/me.routes.ts'
import { addKeyRoutes } from '../company/keys/keys.routes.ts'
import { addMailPanelRoute } from '../platform/mail/mail.panel.ts'
import { addHistoryRoute } from '../messaging/messages/history.routes.ts'
import { addForwardRoute } from '../messaging/messages/forward.routes.ts'
import { addMessageRoutes } from '../messaging/messages/messages.routes.ts'
import { addPhoneMessageRoutes } from '../messaging/phones/phone-messages.routes.ts'
import { addPhoneRoutes } from '../messaging/phones/phones.routes.ts'
import { addBillingPanelRoutes } from '../company/billing/billing.panel.ts'
import { addPaymentPanelRoutes } from '../company/payments/payments.panel.ts'
import { addPrivacyPanelRoutes } from '../operations/privacy/privacy.panel.ts'
import { addMemberRoutes } from '../company/members/members.routes.ts'
import { addMemberPanelRoutes } from '../company/members/members.panel.ts'
import { addEmailChangePanelRoutes } from '../company/sessions/change-email.panel.ts'
import { addPasswordPanelRoutes } from '../company/sessions/password.panel.ts'
import { addSecondFactorPanelRoutes } from '../company/sessions/second-factor.panel.ts'
import { addProbeRoutes } from '../operations/doctor/probe.routes.ts'
import { addOperatorPanelRoutes } from '../operations/operators/operators.panel.ts'
import { addAlertPanelRoutes } from '../operations/alerts/alerts.panel.ts'
import { addAuditPanelRoute } from '../company/audit/audit.panel.ts'
import { addMePanelRoute } from '../company/sessions/me.panel.ts'
import { addSavedViewPanelRoutes } from '../company/sessions/saved-views.panel.ts'
import { createSessionCookies } from '../company/sessions/session-cookies.ts'
import { addSignUpPanelRoutes } from '../company/sessions/sign-up.panel.ts'
import { addRequestRoutes } from '../company/requests/requests.routes.ts'
import { recordRequests } from '../company/requests/requests.panel.ts'
import { addSessionRoutes } from '../company/sessions/sessions.routes.ts'
import { publishChanges } from '../events/streams/changes.panel.ts'
import { addProjectPanelRoute } from '../company/projects/projects.panel.ts'
import { addStreamRoutes } from '../events/streams/streams.routes.ts'
import { addScheduleRoutes } from '../messaging/schedules/schedules.routes.ts'
import { addWebhookRoutes } from '../events/webhooks/webhooks.routes.ts'
import { catalog } from '../events/catalog/index.ts'
import {
  keyGuard,
  ownerGuard,
  panelGuard,
  userGuard,
  type KeyPermissions,
  type RoutePermissions,
} from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { endStreamsOnClose } from '../platform/http/sse.ts'

/** The modules, and the server state that the health routes report. */
type RoutesDeps = Modules & {
  version: string
  stopping: () => boolean
  /** Whether the node's heartbeat reaches the database. */
  heartbeatRecent: () => boolean
}

/** Registers the routes of all modules, in the order of the API reference. */
export async function addRoutes(http: Server, app: RoutesDeps): Promise<void> {
  const { config, version } = app
  const { publicUrl, sandboxUrl, panelUrl } = config
  await http.register(fastifyCookie)
  endStreamsOnClose(http)
  await addOpenapi(http, { publicUrl, sandboxUrl, version, events: describeEvents(catalog) })
  await addPanelDocument(http)
  publishChanges(http, app.bus)
  recordRequests(http, app.requests)
  addMetricsRoute(http, app, config.metricsToken)
  traceRequests(http, app)
  addHealthRoutes(http, app)
  addProbeRoutes(http, app)
  const api = (permissions: KeyPermissions) => ({
    ...app,
    guard: keyGuard(app.authenticator, permissions),
  })
  const send: KeyPermissions = { read: 'read', write: 'send' }
  const manage: KeyPermissions = { read: 'read', write: 'manage' }
  const owner = { ...app, guard: ownerGuard(app.authenticator) }
  const person = { ...app, guard: userGuard(app.authenticator) }
  const panel = { ...app, guard: panelGuard(app.authenticator) }
  const cookies = createSessionCookies({ secure: panelUrl.startsWith('https:') })
  addSignUpPanelRoutes(http, { ...app, cookies })
  addPasswordPanelRoutes(http, app)
  addSecondFactorPanelRoutes(http, owner)
  addMemberPanelRoutes(http, panel)
  addEmailChangePanelRoutes(http, owner)
  addBillingPanelRoutes(http, panel)
  addPrivacyPanelRoutes(http, owner)
  await addPaymentPanelRoutes(http, owner)
  addMailPanelRoute(http, { mailer: app.mailer, panelUrl })
  addMePanelRoute(http, owner)
  addSavedViewPanelRoutes(http, owner)
  const project: RoutePermissions = { read: 'manageProject', write: 'manageProject' }
  addProjectPanelRoute(http, { ...app, guard: panelGuard(app.authenticator, project) })
  addAlertPanelRoutes(http, panel)
  addOperatorPanelRoutes(http, app)
  const audit: RoutePermissions = { read: 'readAudit', write: null }
  addAuditPanelRoute(http, { ...app, guard: panelGuard(app.authenticator, audit) })
  addSessionRoutes(http, { ...app, cookies })
  addKeyRoutes(http, person)
  addMeRoutes(http, api(manage))
  addMemberRoutes(http, api(manage))
  addRequestRoutes(http, api(manage))
  addInstanceRoutes(http, api(manage))
  addPairingRoutes(http, api({ read: 'manage', write: 'manage' }))
  addPairingLinkRoutes(http, api(manage))
  addPublicPairingRoutes(http, app)
  await addMediaRoutes(http, api(send))
  await addMessageRoutes(http, api(send))
  addForwardRoute(http, api(send))
  addScheduleRoutes(http, api(send))
  addConversationRoutes(http, api(send))
  addHistoryRoute(http, api(send))
  addHealthRoute(http, api(manage))
  addProfileRoutes(http, api(manage))
  addNoteRoutes(http, api(send))
  addQuickReplyRoutes(http, api(manage))
  addContactRoutes(http, api(send))
  addBlockedRoutes(http, api(send))
  addPictureRoutes(http, api(manage))
  addAddressBookRoutes(http, api(manage))
  addGroupRoutes(http, api(manage))
  addLabelRoutes(http, api(manage))
  addCallRoutes(http, api(send))
  await addCampaignRoutes(http, api(manage))
  addOptOutRoutes(http, api(manage))
  addWebhookRoutes(http, api(manage))
  addDeliveryRoutes(http, api(manage))
  addPhoneRoutes(http, api(manage))
  addPhoneMessageRoutes(http, api(manage))
  addPhoneCollectionRoutes(http, api(manage))
  addInboxRoutes(http, api(manage))
  addInboxReceiver(http, app)
  await addStreamRoutes(http, app)
  addMcp(http, app)
  await addPanelRoutes(http, app)
  addPanelFiles(http, PANEL_DIST)
  serveOpenapi(http, { clock: app.clock, sandboxUrl })
}
