import { hasPermission, OWNER } from '../../kernel/permissions.ts'
import {
  releaseUnconfirmedAddress,
  hashNewPassword,
  removeUser,
} from '../accounts/accounts.service.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { toCaller, type UserPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, randomToken } from '../../kernel/ids.ts'
import { readEmail, readPersonName } from '../../kernel/person.ts'
import { hashToken } from '../../kernel/seal.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  MAX_INVITATIONS,
  MAX_INVITATIONS_PER_RECIPIENT,
  type Admission,
} from '../sessions/admission.service.ts'
import type { SessionsService } from '../sessions/sessions.service.ts'
import type { Role } from '../accounts/accounts.schemas.ts'
import type { AcceptBody, Invitation, InviteBody, Member } from './members.schemas.ts'
import {
  deleteInvitation,
  findInvited,
  findInviter,
  findMember,
  isTaken,
  listInvitations,
  listMembers,
  listProjectMembers,
  lockAccount,
  putInvitation,
  putMember,
  readInvitation,
  setRole,
  consumeInvitation,
  type InvitationRow,
  type MemberRow,
} from './members.sql.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'

const INVITATION_MS = 7 * 24 * 3600_000
const MAX_MEMBERS = 100

/** Manages the members of accounts; see `createMembersService`. */
export type MembersService = ReturnType<typeof createMembersService>

/** Manages the members of accounts, their roles and the invitations (G10). */
export function createMembersService(deps: {
  clock: Clock
  mailer: Mailer
  audit: AuditService
  sessions: SessionsService
  admission: Admission
  panelUrl: string
}) {
  const { clock, mailer, audit, sessions, admission, panelUrl } = deps
  const now = () => new Date(clock.now())

  /** Runs a change to the members of the caller's account in a transaction. Throws 403. */
  function manage<T>(
    db: Db,
    user: UserPrincipal,
    work: (tx: Db, accountId: string, by: Role) => Promise<T>,
  ): Promise<T> {
    return db.transaction(async (tx) => {
      const before = await requireMember(tx, user)
      await lockAccount(tx, before.accountId)
      // The caller may have been removed, or their role changed, since the request was authenticated.
      const { accountId, role } = await requireMember(tx, user)
      if (!hasPermission(role, 'manageMembers'))
        throw fail('forbidden', (say) => say.auth.roleForbids)
      return work(tx, accountId, role)
    })
  }

  async function requireMember(tx: Db, user: UserPrincipal) {
    const member = await findMember(tx, user.userId)
    if (!member) throw fail('unauthorized', (say) => say.auth.badRefresh)
    return member
  }

  /** Ends the sessions of a user and frees their address. */
  async function endAccess(tx: Db, id: string): Promise<void> {
    await removeUser(tx, id, now())
    await sessions.endAll(tx, id)
  }

  /**
   * Returns the member if the caller may change or remove them. Throws 404 for an unknown member,
   * 403 if a caller who may not appoint owners would affect an owner, and 409 if no owner would
   * remain.
   */
  async function requireChangeable(
    tx: Db,
    by: Role,
    accountId: string,
    id: string,
    next: Role | null,
  ): Promise<MemberRow> {
    const members = await listMembers(tx, accountId)
    const member = members.find((one) => one.id === id)
    if (!member) throw fail('not_found', (say) => say.members.notFound)
    const owners = members.filter(({ role }) => role === OWNER)
    requireOwner(by, member.role, next)
    if (member.role === OWNER && next !== OWNER && owners.length === 1) {
      throw fail('conflict', (say) => say.members.lastOwner)
    }
    return member
  }

  function recordAudit(
    tx: Db,
    user: UserPrincipal,
    action: string,
    object: string,
    change: Change,
  ) {
    return audit.record(tx, { ...toCaller(user), action, object, ...change })
  }

  return {
    endAccess,

    /** Lists the people of a Project's account for its keys. */
    async listForKeys(db: Db, scope: Scope) {
      const rows = await listProjectMembers(db, scope, now())
      return { items: rows }
    },

    /** Returns the ids of the members of the Project's account whose role may answer conversations. */
    async listAttendantIds(db: Db, scope: Scope): Promise<Set<string>> {
      const members = await listProjectMembers(db, scope, now())
      return new Set(
        members.filter(({ role }) => hasPermission(role, 'attend')).map(({ id }) => id),
      )
    },

    /** Lists the members of the caller's account and, for managers, its pending invitations. */
    list: (db: Db, user: UserPrincipal) =>
      db.transaction(async (tx) => {
        const { accountId, role } = await requireMember(tx, user)
        const manages = hasPermission(role, 'manageMembers')
        return {
          items: (await listMembers(tx, accountId)).map(renderMember),
          invitations: manages
            ? (await listInvitations(tx, accountId, now())).map(renderInvitation)
            : [],
        }
      }),

    /**
     * Mails an invitation. Throws 409 if the address already belongs to a member or the account is
     * full, and 429 after too many invitations. Only the mail reveals whether the address has
     * another account. `language` is the inviter's: the invited person has chosen none yet.
     */
    async invite(
      db: Db,
      user: UserPrincipal,
      input: InviteBody,
      language: Language,
    ): Promise<Invitation> {
      const email = readEmail(input.email)
      const { role } = input
      const token = randomToken('cvt')
      const made = await manage(db, user, async (tx, accountId, by) => {
        admission.count([
          { subject: `invitations:${accountId}`, max: MAX_INVITATIONS },
          { subject: `invitations:${accountId} ${email}`, max: MAX_INVITATIONS_PER_RECIPIENT },
        ])
        const invitations = await listInvitations(tx, accountId, now())
        const replaced = invitations.find((one) => one.email === email)
        requireOwner(by, role, replaced?.role ?? null)
        const members = await listMembers(tx, accountId)
        if (members.some((member) => member.email === email)) {
          throw fail('conflict', (say) => say.members.alreadyMember)
        }
        const taken = await isTaken(tx, email)
        await requireCapacity(tx, accountId, invitations.length - (replaced ? 1 : 0))
        const createdAt = now()
        const expiresAt = new Date(clock.now() + INVITATION_MS)
        const id = newId('inv', clock.now())
        const invitation = { id, email, role, createdAt, expiresAt }
        await putInvitation(tx, {
          ...invitation,
          hash: hashToken(token),
          accountId,
          invitedBy: user.userId,
        })
        const after = { email, role }
        await recordAudit(tx, user, 'member.invite', id, { before: null, after })
        return { taken, invitation, ...(await findInviter(tx, user.userId)) }
      })
      const { inviter, company } = made
      const link = `${panelUrl}/convite?token=${token}`
      await mailer.send(
        composeMail(email, language, (mail) =>
          made.taken
            ? mail.inviteTaken({ inviter, company, role })
            : mail.invite({ inviter, company, role, link }),
        ),
      )
      return renderInvitation(made.invitation)
    },

    withdraw: (db: Db, user: UserPrincipal, id: string) =>
      manage(db, user, async (tx, accountId, by) => {
        const invitations = await listInvitations(tx, accountId, now())
        requireOwner(by, invitations.find((one) => one.id === id)?.role ?? null)
        if (!(await deleteInvitation(tx, accountId, id))) {
          throw fail('not_found', (say) => say.members.invitationNotFound)
        }
        await recordAudit(tx, user, 'member.withdraw', id, { before: null, after: null })
      }),

    /**
     * Accepts an invitation and creates its user. Throws 400 for a link that is unknown, used or
     * older than a week, and 409 if the address is taken or the account is full.
     */
    async accept(db: Db, input: AcceptBody, address: string): Promise<void> {
      const hash = hashToken(input.token)
      const bad = () => fail('bad_request', (say) => say.members.badInvitation)
      const accountId = await findInvited(db, hash, now())
      if (!accountId) throw bad()
      const passwordHash = await admission.hashing(address, () => hashNewPassword(input.password))
      await db.transaction(async (tx) => {
        await lockAccount(tx, accountId)
        await requireCapacity(tx, accountId, 0)
        const invited = await consumeInvitation(tx, hash, now())
        if (!invited) throw bad()
        const id = newId('usr', clock.now())
        await releaseUnconfirmedAddress(tx, invited.email, now())
        const name = readPersonName(input.name ?? '')
        const made = await putMember(tx, { id, ...invited, name, passwordHash, now: now() })
        if (!made) throw fail('conflict', (say) => say.accounts.emailTaken)
        const { email, role } = invited
        const entry = { actor: id, address, action: 'member.join', object: id, before: null }
        await audit.record(tx, { ...entry, after: { email, role } })
      })
    },

    /** Returns what an invitation says; null if its token is unknown, used or older than a week. */
    invited: (db: Db, token: string) => readInvitation(db, hashToken(token), now()),

    /** Changes a role. Throws 409 if the account would be left without an owner. */
    changeRole: (db: Db, user: UserPrincipal, id: string, role: Role) =>
      manage(db, user, async (tx, accountId, by) => {
        const member = await requireChangeable(tx, by, accountId, id, role)
        await setRole(tx, id, role)
        const change = { before: { role: member.role }, after: { role } }
        await recordAudit(tx, user, 'member.role', id, change)
        return renderMember({ ...member, role })
      }),

    /** Removes a member and ends their sessions. What they created stays with the account. */
    remove: (db: Db, user: UserPrincipal, id: string) =>
      manage(db, user, async (tx, accountId, by) => {
        const { email, role } = await requireChangeable(tx, by, accountId, id, null)
        await endAccess(tx, id)
        await recordAudit(tx, user, 'member.remove', id, { before: { email, role }, after: null })
      }),
  }
}

type Values = Record<string, unknown> | null
type Change = { before: Values; after: Values }

function renderMember({ createdAt, lastSignInAt, ...member }: MemberRow): Member {
  return {
    ...member,
    createdAt: createdAt.toISOString(),
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  }
}

function renderInvitation({ createdAt, expiresAt, ...invitation }: InvitationRow): Invitation {
  return {
    ...invitation,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

async function requireCapacity(tx: Db, accountId: string, invited: number): Promise<void> {
  const { length } = await listMembers(tx, accountId)
  if (length + invited >= MAX_MEMBERS) throw fail('conflict', (say) => say.members.tooMany)
}

function requireOwner(by: Role, ...roles: (Role | null)[]): void {
  if (roles.includes(OWNER) && !hasPermission(by, 'appointOwners')) {
    throw fail('forbidden', (say) => say.auth.roleForbids)
  }
}
