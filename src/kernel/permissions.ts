/** The roles of a company's members, as they are stored and displayed. */
export const ROLES = ['Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro'] as const
/** A member's role. */
export type Role = (typeof ROLES)[number]

/** The role with every permission. Every company keeps at least one member with it. */
export const OWNER: Role = 'Dono'

/** The role of an invitation unless another one is chosen. */
export const DEFAULT_ROLE: Role = 'Atendente'

/** The roles that have each permission. The server, the panel and the API reference all read this table. */
const PERMISSIONS = {
  /** Use conversations, messages, contacts, groups, labels, calls and files. */
  attend: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  /** View instances and their activity. */
  viewInstances: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  /** Manage keys, webhooks, deliveries, campaigns, the simulator and instances. */
  develop: ['Dono', 'Admin', 'Desenvolvedor'],
  /** View usage, credits, the plan and the members. */
  viewAccount: ['Dono', 'Admin', 'Desenvolvedor', 'Financeiro'],
  /** Manage members and invitations. */
  manageMembers: ['Dono', 'Admin'],
  /** Change the settings of the whole Project. */
  manageProject: ['Dono', 'Admin'],
  readAudit: ['Dono', 'Admin'],
  /** Grant and revoke the owner role. */
  appointOwners: ['Dono'],
  /** Manage the plan, credits and invoices. */
  pay: ['Dono', 'Financeiro'],
  /** Export and erase all data. */
  managePrivacy: ['Dono'],
  receiveTechnicalAlerts: ['Dono', 'Admin', 'Desenvolvedor'],
  receiveInstanceAlerts: ['Dono', 'Admin', 'Desenvolvedor', 'Atendente'],
  receiveMoneyAlerts: ['Dono', 'Admin', 'Financeiro'],
  /** Receive alerts without having subscribed to any. */
  receiveAlertsByDefault: ['Dono', 'Admin', 'Desenvolvedor', 'Financeiro'],
} as const satisfies Record<string, readonly Role[]>

/** The name of a permission. */
export type Permission = keyof typeof PERMISSIONS

/** Whether a role has a permission. */
export function hasPermission(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role)
}
