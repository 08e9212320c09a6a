import fastifyCookie from '@fastify/cookie'
import { addConfirmEmailPage } from './accounts/confirm-email.panel.ts'
import { addAccountPanelRoutes } from './accounts/accounts.panel.ts'
import { addCampaignRoutes } from './campaigns/campaigns.routes.ts'
import type { CampaignsService } from './campaigns/campaigns.service.ts'
import { addCallRoutes } from './calls/calls.routes.ts'
import { addContactRoutes } from './contacts/contacts.routes.ts'
import { addConversationRoutes } from './conversations/conversations.routes.ts'
import { addGroupRoutes } from './groups/groups.routes.ts'
import { addLabelRoutes } from './labels/labels.routes.ts'
import { addMediaRoutes } from './media/media.routes.ts'
import { addCircleRoutes } from './phones/circles.routes.ts'
import { addDeliveryRoutes } from './deliveries/deliveries.routes.ts'
import { addHealthRoutes } from './http/health.ts'
import { addMetricsRoute, type Metrics } from './http/metrics.ts'
import { addOpenapi, describeEvents, serveOpenapi } from './http/openapi.ts'
import { addInboxReceiver, addInboxRoutes } from './inboxes/inboxes.routes.ts'
import { addInstanceRoutes } from './instances/instances.routes.ts'
import { addPairingRoutes } from './instances/pairing.routes.ts'
import { addKeyRoutes } from './keys/keys.routes.ts'
import { addMessageRoutes } from './messages/messages.routes.ts'
import type { CirclesService } from './phones/circles.service.ts'
import { addPhoneMessageRoutes } from './phones/phone-messages.routes.ts'
import { addPhoneRoutes } from './phones/phones.routes.ts'
import { addBillingPanelRoutes } from './billing/billing.panel.ts'
import type { BillingService } from './billing/billing.service.ts'
import { addPaymentPanelRoutes } from './payments/payments.panel.ts'
import type { PaymentsService } from './payments/payments.service.ts'
import { addPrivacyPanelRoutes } from './privacy/privacy.panel.ts'
import type { PrivacyService } from './privacy/privacy.service.ts'
import { addMemberPanelRoutes } from './members/members.panel.ts'
import type { MembersService } from './members/members.service.ts'
import { addEmailChangePanelRoutes } from './sessions/change-email.panel.ts'
import type { EmailChangeService } from './accounts/change-email.service.ts'
import { addPasswordPanelRoutes } from './sessions/password.panel.ts'
import { addSecondFactorPanelRoutes } from './sessions/second-factor.panel.ts'
import { addSessionRoutes } from './sessions/sessions.routes.ts'
import { addStreamRoutes } from './streams/streams.routes.ts'
import { addWebhookRoutes } from './webhooks/webhooks.routes.ts'
import type { AccountsService } from './accounts/accounts.service.ts'
import type { CallsService } from './calls/calls.service.ts'
import type { Config } from './config/config.ts'
import type { ContactsService } from './contacts/contacts.service.ts'
import type { NumbersService } from './contacts/numbers.service.ts'
import type { ConversationsService } from './conversations/conversations.service.ts'
import type { Db } from './db/sql.ts'
import type { DeliveriesService } from './deliveries/deliveries.service.ts'
import { catalog } from './events/catalog/index.ts'
import type { GroupsService } from './groups/groups.service.ts'
import type { Idempotent } from './http/idempotent.ts'
import { keyGuard, ownerGuard, userGuard, type Authenticator } from './http/principal.ts'
import type { Server } from './http/server.ts'
import { endStreamsOnClose } from './http/sse.ts'
import type { InboxesService } from './inboxes/inboxes.service.ts'
import type { NetworkCommander } from './instances/network-commands.service.ts'
import type { InstancesService } from './instances/instances.service.ts'
import type { QrStreams } from './instances/qr-stream.ts'
import type { QrTokensService } from './instances/qr-tokens.service.ts'
import type { KeysService } from './keys/keys.service.ts'
import type { LabelsService } from './labels/labels.service.ts'
import type { MediaService } from './media/media.service.ts'
import type { MessagesService } from './messages/messages.service.ts'
import type { PhonesService } from './phones/phones.service.ts'
import type { SecondFactorService } from './accounts/second-factor.service.ts'
import type { SessionsService } from './sessions/sessions.service.ts'
import type { StreamsService as Streams } from './streams/streams.service.ts'
import type { WebhooksService } from './webhooks/webhooks.service.ts'

/** Puts every room on HTTP, in the order in which the reference shows them. */
export async function addRoutes(
  http: Server,
  app: {
    config: Config
    db: Db
    metrics: Metrics
    authenticator: Authenticator
    idempotent: Idempotent
    version: string
    stopping: () => boolean
    accounts: AccountsService
    sessions: SessionsService
    secondFactor: SecondFactorService
    members: MembersService
    billing: BillingService
    privacy: PrivacyService
    payments: PaymentsService
    emailChange: EmailChangeService
    keys: KeysService
    instances: InstancesService
    qrTokens: QrTokensService
    qrStreams: QrStreams
    commander: NetworkCommander
    webhooks: WebhooksService
    deliveries: DeliveriesService
    messages: MessagesService
    media: MediaService
    conversations: ConversationsService
    contacts: ContactsService
    numbers: NumbersService
    groups: GroupsService
    labels: LabelsService
    calls: CallsService
    campaigns: CampaignsService
    phones: PhonesService
    circles: CirclesService
    inboxes: InboxesService
    streams: Streams
  },
): Promise<void> {
  const { db, config, metrics, version, stopping } = app
  const { publicUrl, sandboxUrl, panelUrl } = config
  await http.register(fastifyCookie)
  endStreamsOnClose(http)
  await addOpenapi(http, { publicUrl, sandboxUrl, version, events: describeEvents(catalog) })
  addMetricsRoute(http, metrics)
  addHealthRoutes(http, { db, stopping })
  const api = { ...app, guard: keyGuard(app.authenticator) }
  const owner = { ...app, guard: ownerGuard(app.authenticator) }
  const person = { ...app, guard: userGuard(app.authenticator) }
  addAccountPanelRoutes(http, app)
  addPasswordPanelRoutes(http, app)
  addSecondFactorPanelRoutes(http, owner)
  addMemberPanelRoutes(http, person)
  addEmailChangePanelRoutes(http, owner)
  addBillingPanelRoutes(http, person)
  addPrivacyPanelRoutes(http, owner)
  await addPaymentPanelRoutes(http, owner)
  addConfirmEmailPage(http, app)
  addSessionRoutes(http, { ...app, secureCookies: panelUrl.startsWith('https:') })
  addKeyRoutes(http, person)
  addInstanceRoutes(http, api)
  addPairingRoutes(http, api)
  await addMediaRoutes(http, api)
  await addMessageRoutes(http, api)
  addConversationRoutes(http, api)
  addContactRoutes(http, api)
  addGroupRoutes(http, api)
  addLabelRoutes(http, api)
  addCallRoutes(http, api)
  await addCampaignRoutes(http, api)
  addWebhookRoutes(http, api)
  addDeliveryRoutes(http, api)
  addPhoneRoutes(http, api)
  addPhoneMessageRoutes(http, api)
  addCircleRoutes(http, api)
  addInboxRoutes(http, api)
  addInboxReceiver(http, app)
  await addStreamRoutes(http, app)
  await serveOpenapi(http)
}
