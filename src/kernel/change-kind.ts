/**
 * The kinds of data a call can change in a Project. Routes declare theirs in `config.changes`, and panels are notified
 * with it; each kind names the panel queries to refetch.
 */
export type ChangeKind =
  | 'alerts'
  | 'calls'
  | 'campaigns'
  | 'contacts'
  | 'conversations'
  | 'groups'
  | 'inboxes'
  | 'instances'
  | 'keys'
  | 'labels'
  | 'me'
  | 'members'
  | 'messages'
  | 'notes'
  | 'opt-outs'
  | 'phones'
  | 'plan'
  | 'project'
  | 'quick-replies'
  | 'schedules'
  | 'second-factor'
  | 'webhooks'
