/** The roles of the people of a company, as they are stored and shown. */
export const ROLES = ['Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro'] as const
export type Role = (typeof ROLES)[number]

/** The role that may do everything. Every company keeps at least one person with it. */
export const OWNER: Role = 'Dono'

/** Which roles may do what. The server, the panel and the reference read this table and no other. */
const PERMISSIONS = {
  /** Conversations, messages, contacts, groups, labels, calls and files. */
  attend: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  /** Instances and activity: to see them. */
  viewInstances: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  /** Keys, webhooks, deliveries, campaigns, simulator, and changes to instances. */
  develop: ['Dono', 'Admin', 'Desenvolvedor'],
  /** Members and invitations. */
  manageMembers: ['Dono', 'Admin'],
  /** Settings of the whole Project. */
  manageProject: ['Dono', 'Admin'],
  readAudit: ['Dono', 'Admin'],
  /** Gives and takes the role of owner. */
  appointOwners: ['Dono'],
  /** The plan, credits and invoices. */
  pay: ['Dono', 'Financeiro'],
  /** Export and erasure of all data. */
  managePrivacy: ['Dono'],
  receiveTechnicalAlerts: ['Dono', 'Admin', 'Desenvolvedor'],
  receiveInstanceAlerts: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  receiveMoneyAlerts: ['Dono', 'Admin', 'Financeiro'],
  /** Receives alerts without having chosen any. */
  receiveAlertsByDefault: ['Dono', 'Admin', 'Desenvolvedor', 'Financeiro'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof PERMISSIONS

/** Whether a role has a permission. */
export function may(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role)
}
