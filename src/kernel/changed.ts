/**
 * What a call can change in a Project, as routes declare it in `config.changes` and panels are told of it. Each names the
 * queries of the panel to read again.
 */
export type Changed =
  | 'alerts'
  | 'calls'
  | 'campaigns'
  | 'conversations'
  | 'groups'
  | 'inboxes'
  | 'instances'
  | 'keys'
  | 'labels'
  | 'me'
  | 'members'
  | 'messages'
  | 'phones'
  | 'plan'
  | 'project'
  | 'second-factor'
  | 'webhooks'
