/** The id of the Project that moves, in both databases: a setting of the session, because COPY takes no parameters. */
const PROJECT = `current_setting('recado.moving')`

const ACCOUNT = `(select account_id from project where id = ${PROJECT})`
const byProject = `project_id = ${PROJECT}`
const inInstances = `instance_id in (select id from instance where ${byProject})`
const ofUsers = `user_id in (select id from app_user where account_id = ${ACCOUNT})`
const ofWebhooks = `webhook_id in (select id from webhook where ${byProject})`
const ofCampaigns = `campaign_id in (select id from campaign where ${byProject})`
const ofPhones = `phone_id in (select id from simulator_phone where ${byProject})`

/** The tables whose rows are moved, each with the condition that selects them. */
export const MOVED: Record<string, string> = {
  account: `id = ${ACCOUNT}`,
  project: `id = ${PROJECT}`,
  app_user: `account_id = ${ACCOUNT}`,
  invitation: `account_id = ${ACCOUNT}`,
  recovery_code: ofUsers,
  alert_setting: ofUsers,
  saved_view: ofUsers,
  audit: `(object in (select id from account_object where account_id = ${ACCOUNT})
    or actor in (select id from account_object where account_id = ${ACCOUNT}))`,
  api_key: byProject,
  api_request: byProject,
  balance: byProject,
  ledger: byProject,
  payment_customer: byProject,
  usage_day: byProject,
  idempotency: byProject,
  number_check: byProject,
  media: byProject,
  instance: byProject,
  instance_credential: inInstances,
  instance_transition: inInstances,
  pairing_link: byProject,
  profile: byProject,
  pending_change: inInstances,
  processed_event: inInstances,
  pace: inInstances,
  outbox: inInstances,
  contact: byProject,
  conversation: byProject,
  conversation_behind: `conversation_id in (select id from conversation where ${byProject})`,
  conversation_note: byProject,
  note_mention: `note_id in (select id from conversation_note where ${byProject})`,
  response_time: byProject,
  message: byProject,
  message_history: `message_id in (select id from message where ${byProject})`,
  poll_vote: inInstances,
  label: byProject,
  label_conversation: `label_id in (select id from label where ${byProject})`,
  chat_group: byProject,
  group_participant: inInstances,
  call_log: byProject,
  quick_reply: byProject,
  scheduled_message: byProject,
  opt_out: byProject,
  campaign: byProject,
  campaign_count: ofCampaigns,
  campaign_pace: ofCampaigns,
  campaign_recipient: byProject,
  webhook: byProject,
  webhook_status: ofWebhooks,
  event: byProject,
  event_history: byProject,
  delivery: ofWebhooks,
  delivery_hour: ofWebhooks,
  delivery_log: ofWebhooks,
  inbox: byProject,
  inbox_request: `inbox_id in (select id from inbox where ${byProject})`,
  simulator_phone: byProject,
  simulator_label: ofPhones,
  simulator_message: ofPhones,
  simulator_link: inInstances,
  simulator_event: inInstances,
  simulator_call: byProject,
  simulator_group: byProject,
  simulator_join_request: `group_id in (select id from simulator_group where ${byProject})`,
  simulator_member: `group_id in (select id from simulator_group where ${byProject})`,
}

/** The tables that a move leaves out, each with the reason. */
export const STAYS: Record<string, string> = {
  session: 'people sign in again, at the address of the other installation',
  session_token: 'people sign in again',
  email_token: 'links that were mailed lead to this installation',
  email_change: 'links that were mailed lead to this installation',
  alert: 'found again by the other installation',
  qr_token: 'opens a QR stream of this installation, for seconds',
  simulator_pairing: 'a code that is valid for a minute',
  network_command: 'belongs to a request in progress',
  clock_floor: 'belongs to the installation',
  seal_probe: 'belongs to the installation',
}

/** Columns whose value is not copied, with the value they get. */
export const REPLACED: Record<string, Record<string, string>> = {
  project: { moving_until: 'null', moving_by: 'null', moving_to: 'null' },
  app_user: { is_operator: 'false' },
  instance: { owner_node: 'null', owner_epoch: 'null' },
  delivery: { lease_node: 'null', lease_epoch: 'null' },
}

/** Columns that may change during a move without invalidating the copy. */
export const VOLATILE: Record<string, string[]> = {
  api_key: ['last_used_at'],
  // Requests that are refused because the Project moves, and attempts that were under way when it began.
  api_request: ['*'],
  delivery: ['*'],
  delivery_hour: ['*'],
  delivery_log: ['*'],
  webhook_status: ['*'],
  project: ['moving_until', 'moving_by', 'moving_to'],
}
