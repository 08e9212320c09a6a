import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { hasPermission } from '../../../src/kernel/permissions.ts'
import type { Me } from '../data/api-types.ts'
import { readMe } from '../data/session.ts'
import { lazyPage } from './lazy-page.ts'
import { only } from '../ui/filters.ts'
import { FatalError, PageError } from '../shell/page-error.tsx'
import { NotFound } from '../shell/not-found.tsx'

const MODE_STORAGE_KEY = 'recado.modo'

const readStoredMode = () =>
  localStorage.getItem(MODE_STORAGE_KEY) === 'producao' ? 'producao' : 'teste'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
})

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$modo', params: { modo: readStoredMode() } })
  },
})

type Component = () => React.ReactNode
const authRoute = (path: string, load: () => Promise<Component>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: only(['volta', 'token', 'email']),
    component: lazyPage(load),
  })
const auth = () => import('../features/auth/auth.tsx')
const links = () => import('../features/auth/links.tsx')
const authRoutes = [
  authRoute('/entrar', async () => (await auth()).SignIn),
  authRoute('/entrar/2fa', async () => (await auth()).SecondStep),
  authRoute('/criar-conta', async () => (await auth()).SignUp),
  authRoute('/recuperar-senha', async () => (await auth()).Forgot),
  authRoute('/sessao-encerrada', async () => (await auth()).Superseded),
  authRoute('/confirmar-email', async () => (await links()).ConfirmEmail),
  authRoute('/redefinir-senha', async () => (await links()).ResetPassword),
  authRoute('/mudar-email', async () => (await links()).ConfirmNewEmail),
  authRoute('/convite', async () => (await links()).AcceptInvitation),
  authRoute(
    '/parear',
    async () => (await import('../features/instances/pair-by-link.tsx')).PairByLink,
  ),
  authRoute(
    '/dev/componentes',
    async () => (await import('../features/components/components.tsx')).Components,
  ),
  authRoute('/emails', async () => (await import('../features/auth/mails.tsx')).Mails),
]

const shell = createRoute({
  getParentRoute: () => root,
  path: '/$modo',
  beforeLoad: async ({ params, context, preload, location }) => {
    if (params.modo !== 'teste' && params.modo !== 'producao') {
      // A path without a mode, such as `/chaves`, opens in the mode used last.
      if (!scripts.has(`/${params.modo}`)) throw notFound()
      throw redirect({ to: `/${readStoredMode()}${location.pathname}`, search: location.search })
    }
    // Hover prefetch must not change the selected mode.
    if (!preload) localStorage.setItem(MODE_STORAGE_KEY, params.modo)
    // Rejects when not signed in; the handler of `setSessionEndHandler` then navigates to sign-in.
    await context.client.ensureQueryData({ queryKey: ['me'], queryFn: readMe })
  },
  component: lazyPage(async () => (await import('../shell/shell.tsx')).Shell),
  errorComponent: FatalError,
  notFoundComponent: NotFound,
})
const shellIndex = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: ({ params, context }) => {
    const me = context.client.getQueryData<Me>(['me'])
    // Users who only answer customers begin with them.
    const answers =
      me !== undefined && hasPermission(me.role, 'attend') && !hasPermission(me.role, 'develop')
    throw redirect({ to: answers ? '/$modo/conversas' : '/$modo/inicio', params })
  },
})
/** The loader of each page in the shell, by path. */
const scripts = new Map<string, () => Promise<unknown>>()
/** Starts loading the page at a path before the router resolves it. */
export function preloadPage(pathname: string): void {
  const [, , ...parts] = pathname.split('/')
  const exact = scripts.get(`/${parts.join('/')}`)
  const [ofOne] = [1, 2].flatMap((at) => {
    const path = parts.map((part, index) => (index === at ? '$id' : part)).join('/')
    return scripts.get(`/${path}`) ?? []
  })
  // Ignored here: the router hits and reports the same failure.
  void (exact ?? ofOne)?.().catch(() => {})
}

/** How long after the start the other pages are loaded: the first page and its data come first. */
const IDLE_PRELOAD_DELAY_MS = 6000

/**
 * Loads the scripts of all pages of the shell, one after the other while the browser has nothing else to do, so that
 * each opens immediately and without a connection. Not for those who asked their browser to save data.
 */
export async function preloadPagesWhenIdle(): Promise<void> {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  if (connection?.saveData) return
  await new Promise((resolve) => setTimeout(resolve, IDLE_PRELOAD_DELAY_MS))
  for (const load of scripts.values()) {
    // Safari has no idle callbacks.
    await new Promise<void>((resolve) =>
      'requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : setTimeout(resolve),
    )
    // A page that cannot be loaded now is loaded when it is opened.
    await load().catch(() => {})
  }
}

/** Declares a page in the shell; `filters` are the search parameters that it accepts. */
const page = (path: string, load: () => Promise<Component>, filters: string[] = []) => {
  scripts.set(path, load)
  return createRoute({
    getParentRoute: () => shell,
    path,
    validateSearch: only(filters),
    component: lazyPage(load),
    errorComponent: PageError,
  })
}
const instance = () => import('../features/instances/instance.tsx')
const pages = [
  page('/inicio', async () => (await import('../features/home/home.tsx')).Home),
  page('/instancias', async () => (await import('../features/instances/instances.tsx')).Instances, [
    'estado',
    'q',
    'nova',
  ]),
  page('/instancias/$id', async () => (await instance()).InstancePage),
  page('/instancias/$id/parear', async () => (await instance()).PairingPage),
  page(
    '/instancias/$id/mensagens',
    async () => (await import('../features/messages/messages.tsx')).Messages,
    ['direcao', 'tipo', 'estado', 'q', 'forma', 'mensagem'],
  ),
  page(
    '/conversas',
    async () => (await import('../features/conversations/conversations.tsx')).Conversations,
    ['instancia', 'conversa', 'mensagem', 'sobre', 'q', 'etiqueta', 'ver'],
  ),
  page('/grupos', async () => (await import('../features/groups/groups.tsx')).Groups, [
    'instancia',
    'grupo',
  ]),
  page('/etiquetas', async () => (await import('../features/labels/labels.tsx')).Labels, [
    'instancia',
    'etiqueta',
  ]),
  page(
    '/respostas',
    async () => (await import('../features/conversations/quick-replies.tsx')).QuickReplies,
  ),
  page('/contatos', async () => (await import('../features/contacts/contacts.tsx')).Contacts, [
    'instancia',
    'q',
    'ver',
    'contato',
  ]),
  page('/chamadas', async () => (await import('../features/calls/calls.tsx')).Calls, [
    'instancia',
    'chamada',
  ]),
  page('/campanhas', async () => (await import('../features/campaigns/campaigns.tsx')).Campaigns),
  page(
    '/campanhas/nova',
    async () => (await import('../features/campaigns/new-campaign.tsx')).NewCampaign,
    ['rascunho'],
  ),
  page(
    '/campanhas/$id',
    async () => (await import('../features/campaigns/campaign.tsx')).CampaignPage,
    ['estado'],
  ),
  page('/chaves', async () => (await import('../features/keys/keys.tsx')).Keys, ['nova']),
  page('/webhooks', async () => (await import('../features/webhooks/webhooks.tsx')).Webhooks),
  page(
    '/webhooks/novo',
    async () => (await import('../features/webhooks/new-webhook.tsx')).NewWebhook,
    ['de'],
  ),
  page(
    '/webhooks/$id',
    async () => (await import('../features/webhooks/deliveries.tsx')).Deliveries,
    ['resultado', 'evento', 'http', 'horas', 'q'],
  ),
  page('/eventos', async () => (await import('../features/events/events.tsx')).Events, [
    'evento',
    'instancia',
  ]),
  page('/requisicoes', async () => (await import('../features/requests/requests.tsx')).Requests, [
    'resultado',
    'chave',
    'q',
    'entrega',
    'requisicao',
  ]),
  page('/telefone', async () => (await import('../features/phone/phone.tsx')).Phone, [
    'fone',
    'conversa',
  ]),
  page('/caixa', async () => (await import('../features/test-inbox/inbox.tsx')).Inbox, ['caixa']),
  page('/uso', async () => (await import('../features/billing/usage.tsx')).Usage, ['dias', 'por']),
  page('/plano', async () => (await import('../features/billing/plan.tsx')).PlanPage),
  page(
    '/plano/faturas/$id',
    async () => (await import('../features/billing/invoice.tsx')).InvoicePage,
  ),
  page('/equipe', async () => (await import('../features/team/team.tsx')).Team, ['nova']),
  page('/operacao', async () => (await import('../features/operation/operation.tsx')).Operation, [
    'aba',
    'q',
    'situacao',
    'projeto',
  ]),
  page('/auditoria', async () => (await import('../features/audit/audit.tsx')).Audit, [
    'de',
    'q',
    'modo',
    'registro',
  ]),
  page('/configuracoes', async () => (await import('../features/settings/settings.tsx')).Settings, [
    'aba',
  ]),
]

/** Creates the panel's router: the pages outside the shell, and the shell with its pages. */
export function createPanelRouter(client: QueryClient) {
  const tree = root.addChildren([index, ...authRoutes, shell.addChildren([shellIndex, ...pages])])
  return createRouter({ routeTree: tree, context: { client }, defaultPreload: 'intent' })
}
