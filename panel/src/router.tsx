import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { readMe } from './session.ts'
import { NotFound } from './ui/not-found.tsx'

const KEPT_MODE = 'recado.modo'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
})
const back = (search: Record<string, unknown>): { volta?: string } =>
  typeof search['volta'] === 'string' && /^\/\w/.test(search['volta'])
    ? { volta: search['volta'] }
    : {}

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const modo = localStorage.getItem(KEPT_MODE) === 'producao' ? 'producao' : 'teste'
    throw redirect({ to: '/$modo/inicio', params: { modo } })
  },
})
const door = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: back,
    component: lazyRouteComponent(load as () => Promise<{ default: () => React.ReactNode }>),
  })
const auth = () => import('./pages/auth.tsx')
const doors = [
  door('/entrar', async () => ({ default: (await auth()).SignIn })),
  door('/criar-conta', async () => ({ default: (await auth()).SignUp })),
  door('/recuperar-senha', async () => ({ default: (await auth()).Forgot })),
  door('/sessao-encerrada', async () => ({ default: (await auth()).Superseded })),
]

const shell = createRoute({
  getParentRoute: () => root,
  path: '/$modo',
  beforeLoad: async ({ params, context }) => {
    if (params.modo !== 'teste' && params.modo !== 'producao') throw redirect({ to: '/' })
    localStorage.setItem(KEPT_MODE, params.modo)
    // Who is not signed in is sent to the door by the answer itself.
    await context.client.ensureQueryData({ queryKey: ['me'], queryFn: readMe })
  },
  component: lazyRouteComponent(async () => ({
    default: (await import('./ui/shell.tsx')).Shell,
  })),
  errorComponent: lazyRouteComponent(async () => ({
    default: (await import('./ui/fault.tsx')).Fault,
  })),
  notFoundComponent: NotFound,
})
const page = <Path extends string>(path: Path, load: () => Promise<() => React.ReactNode>) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(async () => ({ default: await load() })),
  })
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversas',
  validateSearch: (search: Record<string, unknown>): { instancia?: string; conversa?: string } => {
    const [instancia, conversa] = [text(search['instancia']), text(search['conversa'])]
    return { ...(instancia ? { instancia } : {}), ...(conversa ? { conversa } : {}) }
  },
  component: lazyRouteComponent(async () => ({
    default: (await import('./pages/conversations.tsx')).Conversations,
  })),
})
const pages = [
  conversations,
  page('/inicio', async () => (await import('./pages/home.tsx')).Home),
  page('/instancias', async () => (await import('./pages/instances.tsx')).Instances),
  page('/instancias/$id', async () => (await import('./pages/instance.tsx')).InstancePage),
  page('/chaves', async () => (await import('./pages/keys.tsx')).Keys),
  page('/webhooks', async () => (await import('./pages/webhooks.tsx')).Webhooks),
  page('/webhooks/$id', async () => (await import('./pages/deliveries.tsx')).Deliveries),
  page('/eventos', async () => (await import('./pages/events.tsx')).Events),
  page('/telefone', async () => (await import('./pages/phone.tsx')).Phone),
  page('/caixa', async () => (await import('./pages/inbox.tsx')).Inbox),
  page('/grupos', async () => (await import('./pages/circles.tsx')).Groups),
  page('/etiquetas', async () => (await import('./pages/circles.tsx')).Labels),
  page('/chamadas', async () => (await import('./pages/circles.tsx')).Calls),
  page('/auditoria', async () => (await import('./pages/audit.tsx')).Audit),
  page('/campanhas', async () => (await import('./pages/campaigns.tsx')).Campaigns),
  page('/campanhas/$id', async () => (await import('./pages/campaign.tsx')).CampaignPage),
  page('/uso', async () => (await import('./pages/usage.tsx')).Usage),
  page('/equipe', async () => (await import('./pages/team.tsx')).Team),
  page('/configuracoes', async () => (await import('./pages/settings.tsx')).Settings),
  page('/plano', async () => (await import('./pages/plan.tsx')).PlanPage),
]

export function createPanelRouter(client: QueryClient) {
  const tree = root.addChildren([index, ...doors, shell.addChildren(pages)])
  return createRouter({ routeTree: tree, context: { client }, defaultPreload: 'intent' })
}
