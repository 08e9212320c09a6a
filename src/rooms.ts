import type { CampaignsService } from './campaigns/campaigns.service.ts'
import type { CirclesService } from './phones/circles.service.ts'
import type { BillingService } from './billing/billing.service.ts'
import type { PaymentsService } from './payments/payments.service.ts'
import type { PrivacyService } from './privacy/privacy.service.ts'
import type { MembersService } from './members/members.service.ts'
import type { EmailChangeService } from './accounts/change-email.service.ts'
import type { AlertsService } from './alerts/alerts.service.ts'
import type { AuditService } from './audit/audit.service.ts'
import type { AccountsService } from './accounts/accounts.service.ts'
import type { CallsService } from './calls/calls.service.ts'
import type { Bus } from './bus/bus.port.ts'
import type { Config } from './config/config.ts'
import type { Activity } from './lib/activity.ts'
import type { Clock } from './lib/clock.ts'
import type { ContactsService } from './contacts/contacts.service.ts'
import type { NumbersService } from './contacts/numbers.service.ts'
import type { ConversationsService } from './conversations/conversations.service.ts'
import type { Db } from './db/sql.ts'
import type { DeliveriesService } from './deliveries/deliveries.service.ts'
import type { GroupsService } from './groups/groups.service.ts'
import type { Idempotent } from './http/idempotent.ts'
import type { InboxesService } from './inboxes/inboxes.service.ts'
import type { NetworkCommander } from './instances/network-commands.service.ts'
import type { InstancesService } from './instances/instances.service.ts'
import type { QrStreams } from './instances/qr-stream.ts'
import type { QrTokensService } from './instances/qr-tokens.service.ts'
import type { KeysService } from './keys/keys.service.ts'
import type { LabelsService } from './labels/labels.service.ts'
import type { Mailer } from './mail/mail.port.ts'
import type { MediaService } from './media/media.service.ts'
import type { MessagesService } from './messages/messages.service.ts'
import type { PhonesService } from './phones/phones.service.ts'
import type { ProjectsService } from './projects/projects.service.ts'
import type { RequestsService } from './requests/requests.service.ts'
import type { SecondFactorService } from './accounts/second-factor.service.ts'
import type { SessionsService } from './sessions/sessions.service.ts'
import type { StreamsService } from './streams/streams.service.ts'
import type { WebhooksService } from './webhooks/webhooks.service.ts'
import type { Metrics } from './http/metrics.ts'
import type { Authenticator } from './http/principal.ts'

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
