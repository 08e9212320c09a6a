import type { CampaignsService } from '../campaigns/campaigns.service.ts'
import type { CirclesService } from '../messaging/phones/circles.service.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { PaymentsService } from '../company/payments/payments.service.ts'
import type { PrivacyService } from '../operations/privacy/privacy.service.ts'
import type { MembersService } from '../company/members/members.service.ts'
import type { EmailChangeService } from '../company/accounts/change-email.service.ts'
import type { AlertsService } from '../operations/alerts/alerts.service.ts'
import type { AuditService } from '../company/audit/audit.service.ts'
import type { AccountsService } from '../company/accounts/accounts.service.ts'
import type { CallsService } from '../messaging/calls/calls.service.ts'
import type { Bus } from '../platform/bus/bus.port.ts'
import type { Config } from '../kernel/config/config.ts'
import type { Activity } from '../kernel/activity.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ContactsService } from '../messaging/contacts/contacts.service.ts'
import type { NumbersService } from '../messaging/contacts/numbers.service.ts'
import type { ConversationsService } from '../messaging/conversations/conversations.service.ts'
import type { Db } from '../platform/db/sql.ts'
import type { DeliveriesService } from '../events/deliveries/deliveries.service.ts'
import type { GroupsService } from '../messaging/groups/groups.service.ts'
import type { Idempotent } from '../platform/http/idempotent.ts'
import type { InboxesService } from '../events/inboxes/inboxes.service.ts'
import type { NetworkCommander } from '../instances/network-commands.service.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import type { QrStreams } from '../instances/qr-stream.ts'
import type { QrTokensService } from '../instances/qr-tokens.service.ts'
import type { KeysService } from '../company/keys/keys.service.ts'
import type { LabelsService } from '../messaging/labels/labels.service.ts'
import type { Mailer } from '../platform/mail/mail.port.ts'
import type { MediaService } from '../media/media.service.ts'
import type { MessagesService } from '../messaging/messages/messages.service.ts'
import type { PhonesService } from '../messaging/phones/phones.service.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { RequestsService } from '../company/requests/requests.service.ts'
import type { SecondFactorService } from '../company/accounts/second-factor.service.ts'
import type { SessionsService } from '../company/sessions/sessions.service.ts'
import type { StreamsService } from '../events/streams/streams.service.ts'
import type { WebhooksService } from '../events/webhooks/webhooks.service.ts'
import type { Metrics } from '../platform/http/metrics.ts'
import type { Authenticator } from '../platform/http/principal.ts'

/** What `app.ts` has constructed, as far as it is put on HTTP. */
export type Rooms = {
  config: Config
  db: Db
  metrics: Metrics
  clock: Clock
  activity: Activity
  bus: Bus
  authenticator: Authenticator
  idempotent: Idempotent
  version: string
  stopping: () => boolean
  /** Whether the node's heartbeat reaches the database. */
  renewing: () => boolean
  alerts: AlertsService
  audit: AuditService
  mailer: Mailer
  accounts: AccountsService
  sessions: SessionsService
  secondFactor: SecondFactorService
  members: MembersService
  projects: ProjectsService
  billing: BillingService
  privacy: PrivacyService
  payments: PaymentsService
  emailChange: EmailChangeService
  keys: KeysService
  requests: RequestsService
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
  streams: StreamsService
}
