import { hasPermission, OWNER, type Role } from '../../../src/kernel/permissions.ts'
import {
  ArrowLeftRight,
  Building2,
  ChartColumn,
  Contact,
  CreditCard,
  House,
  Inbox,
  KeyRound,
  Megaphone,
  MessagesSquare,
  Phone,
  Radio,
  ScrollText,
  Settings,
  ServerCog,
  Smartphone,
  Tag,
  Users,
  UsersRound,
  Waypoints,
  Webhook,
  Zap,
  type LucideIcon,
} from 'lucide-react'
import type { Me } from '../data/api-types.ts'
import { t } from '../phrases/phrases.ts'
import { canDevelop, type PanelContextValue } from './page.tsx'

/**
 * A link of the menu; `path` is relative to the mode. The pages of `within` are shown below it while one of the group is
 * open.
 */
export type Entry = { path: string; icon: LucideIcon; label: string; within?: Entry[] }
/** A group of menu links, with a title except for the first. */
export type Section = { title: string | null; entries: Entry[] }

/** A link and the links within it. */
export const withInner = (entry: Entry): Entry[] => [entry, ...(entry.within ?? [])]

/** Whether a page exists in the menu, but not for this user's role. */
export function isForbidden(
  { mode, me }: Pick<PanelContextValue, 'mode' | 'me'>,
  pathname: string,
): boolean {
  const page = pathname.split('/')[2]
  const has = (role: Role) =>
    sectionsFor({ mode, me: { ...me, role } }).some(({ entries }) =>
      entries.flatMap(withInner).some(({ path }) => path === page),
    )
  return has(OWNER) && !has(me.role)
}

/** The menu of a mode, limited to what the user's role permits. */
export function sectionsFor({ mode, me }: Pick<PanelContextValue, 'mode' | 'me'>): Section[] {
  const attends = hasPermission(me.role, 'attend')
  const some = (when: boolean, ...entries: Entry[]) => (when ? entries : [])
  const sections: Section[] = [
    {
      title: null,
      entries: [
        { path: 'inicio', icon: House, label: t.nav.home },
        ...some(
          attends,
          {
            path: 'conversas',
            icon: MessagesSquare,
            label: t.nav.conversations,
            within: [
              { path: 'contatos', icon: Contact, label: t.shell.contacts },
              { path: 'grupos', icon: UsersRound, label: t.nav.groups },
              { path: 'etiquetas', icon: Tag, label: t.nav.labels },
              { path: 'chamadas', icon: Phone, label: t.nav.calls },
              { path: 'respostas', icon: Zap, label: t.quickReplies.title },
            ],
          },
          ...some(canDevelop(me), {
            path: 'campanhas',
            icon: Megaphone,
            label: t.nav.campaigns,
          }),
          { path: 'instancias', icon: Waypoints, label: t.nav.instances },
        ),
      ],
    },
    {
      title: t.nav.developers,
      entries: some(
        canDevelop(me),
        { path: 'chaves', icon: KeyRound, label: t.nav.keys },
        { path: 'webhooks', icon: Webhook, label: t.nav.webhooks },
        { path: 'eventos', icon: Radio, label: t.nav.events },
        { path: 'requisicoes', icon: ArrowLeftRight, label: t.nav.requests },
        ...some(
          mode === 'test',
          { path: 'telefone', icon: Smartphone, label: t.nav.phone },
          { path: 'caixa', icon: Inbox, label: t.nav.inbox },
        ),
      ),
    },
    {
      title: null,
      entries: [
        ...accountPages(me),
        ...some(me.operator, { path: 'operacao', icon: ServerCog, label: t.operation.title }),
      ],
    },
  ]
  return sections.filter(({ entries }) => entries.length > 0)
}

/** The pages about the company and the user, below one link that opens the first. */
function accountPages(me: Me): Entry[] {
  const some = (when: boolean, ...entries: Entry[]) => (when ? entries : [])
  const within = [
    ...some(
      hasPermission(me.role, 'viewAccount'),
      { path: 'uso', icon: ChartColumn, label: t.nav.usage },
      { path: 'plano', icon: CreditCard, label: t.nav.plan },
      { path: 'equipe', icon: Users, label: t.nav.team },
    ),
    ...some(hasPermission(me.role, 'readAudit'), {
      path: 'auditoria',
      icon: ScrollText,
      label: t.nav.audit,
    }),
    { path: 'configuracoes', icon: Settings, label: t.nav.settings },
  ]
  const { path = 'configuracoes' } = within[0] ?? {}
  return [{ path, icon: Building2, label: t.nav.account, within }]
}
