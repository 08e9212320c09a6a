import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'
import { ProjectStatus, Subscription, UsageMode } from '../../company/projects/projects.schemas.ts'

/** A company's Project as operators see it: figures, without any message content. */
export const OperatedProject = Type.Object(
  {
    id: Type.String(),
    company: Type.String(),
    /** The email address of its first owner; null if the account was erased. */
    owner: Nullable(Type.String()),
    status: ProjectStatus,
    usageMode: UsageMode,
    exempt: Type.Boolean(),
    subscription: Subscription,
    massSending: Type.Boolean(),
    credits: Type.Integer(),
    /** Instances in production, and how many of them are connected. */
    instances: Type.Integer(),
    connected: Type.Integer(),
    /** Messages sent in production in the last 30 days. */
    sent: Type.Integer(),
    createdAt: Timestamp,
  },
  { title: 'OperatedProject' },
)
export type OperatedProject = Static<typeof OperatedProject>
/** A page of Projects, newest first. */
export const OperatedProjects = Page(OperatedProject, 'OperatedProjects')

/** Filters and pagination of the Projects. */
export const ListProjectsQuery = Type.Object({
  ...PageQuery,
  /** A part of the company's name or of an email address, or a Project's id. */
  q: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(ProjectStatus),
})
export type ListProjectsQuery = Static<typeof ListProjectsQuery>

/** Body that makes exactly one change to a Project. */
export const ChangeProjectBody = Type.Object(
  {
    status: Type.Optional(ProjectStatus),
    usageMode: Type.Optional(UsageMode),
    exempt: Type.Optional(Type.Boolean()),
    massSending: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)
export type ChangeProjectBody = Static<typeof ChangeProjectBody>

const MAX_GRANT = 1_000_000_000
/** Body that grants credits to a Project. */
export const GrantCreditsBody = Type.Object(
  { amount: Type.Integer({ minimum: 1, maximum: MAX_GRANT }) },
  { additionalProperties: false },
)

/** A server that works on the same database. */
const Node = Type.Object(
  {
    id: Type.String(),
    startedAt: Nullable(Timestamp),
    secondsSinceHeartbeat: Type.Number(),
    /** The memory it may use, in MiB: instances are shared out in proportion to it. */
    capacity: Type.Integer(),
    draining: Type.Boolean(),
    instances: Type.Integer(),
    connected: Type.Integer(),
  },
  { title: 'Node' },
)
/** All nodes. */
export const Nodes = Type.Object({ items: Type.Array(Node) }, { title: 'Nodes' })

/** Body that drains a node, or resumes. */
export const DrainBody = Type.Object({ draining: Type.Boolean() }, { additionalProperties: false })

const Backlog = Type.Object({
  projectId: Type.String(),
  company: Type.String(),
  messages: Type.Integer(),
  deliveries: Type.Integer(),
})
/** The queues of the whole installation. */
export const Queues = Type.Object(
  {
    /** Accepted messages without a final state; counted up to 100,000. */
    messages: Type.Integer(),
    oldestMessageAt: Nullable(Timestamp),
    /** Due deliveries; counted up to 100,000. */
    dueDeliveries: Type.Integer(),
    oldestDeliveryAt: Nullable(Timestamp),
    /** Deliveries that wait for their next attempt; counted up to 100,000. */
    waitingDeliveries: Type.Integer(),
    runningCampaigns: Type.Integer(),
    scheduledMessages: Type.Integer(),
    /** The Projects with most in the queues, at most ten. */
    projects: Type.Array(Backlog),
  },
  { title: 'Queues' },
)
export type Queues = Static<typeof Queues>
