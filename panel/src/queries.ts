import { useQuery } from '@tanstack/react-query'
import { api, ask } from './api.ts'
import { readCap, readPlan } from './session.ts'
import { develops, usePlace } from './ui/page.tsx'

const LOOK_MS = 5000
const PAGE = 200

/** All of a list that people look through whole, however many pages it has. */
async function everyPage<Item>(
  ask: (page: { limit: number; offset: number }) => Promise<{ items: Item[]; hasMore: boolean }>,
): Promise<{ items: Item[] }> {
  const items: Item[] = []
  for (;;) {
    const page = await ask({ limit: PAGE, offset: items.length })
    items.push(...page.items)
    if (!page.hasMore || page.items.length === 0) return { items }
  }
}

/** What several pages ask for, under one name each: whoever is first has asked for all. */

export function useInstances(enabled = true) {
  const { mode } = usePlace()
  return useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => everyPage((query) => api(mode, 'GET /v1/instances', { query })),
    enabled,
  })
}

export function useInstance(id: string) {
  const { mode } = usePlace()
  return useQuery({
    queryKey: [mode, 'instances', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}', { params: [id] }),
  })
}

/** The virtual telephones, those of instances too. */
export function usePhones() {
  const { mode } = usePlace()
  return useQuery({
    queryKey: [mode, 'phones', 'all'],
    queryFn: async () => (await api('test', 'GET /v1/simulator/phones')).items,
    enabled: mode === 'test',
  })
}

export function useLabels(instanceId: string) {
  const { mode } = usePlace()
  return useQuery({
    queryKey: [mode, 'labels', instanceId],
    queryFn: () =>
      everyPage((query) =>
        api(mode, 'GET /v1/instances/{id}/labels', { params: [instanceId], query }),
      ),
  })
}

export function useWebhooks() {
  const { mode, me } = usePlace()
  return useQuery({
    queryKey: [mode, 'webhooks'],
    queryFn: () => api(mode, 'GET /v1/webhooks'),
    enabled: develops(me),
    // When it last succeeded is told by no event.
    refetchInterval: 2 * LOOK_MS,
  })
}

export function useKeys() {
  const { mode, me } = usePlace()
  return useQuery({
    queryKey: [mode, 'keys'],
    queryFn: () => api(mode, 'GET /v1/keys'),
    enabled: develops(me),
  })
}

/** How deliveries went; attempts end without an event that would tell of them. */
export function useHealth() {
  const { mode, me } = usePlace()
  return useQuery({
    queryKey: [mode, 'health'],
    queryFn: () => ask('GET /panel/api/{mode}/deliveries/health', { params: [mode] }),
    enabled: develops(me),
    refetchInterval: LOOK_MS,
  })
}

export function useUsage(days: number) {
  const { mode } = usePlace()
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' })
  const first = new Date(Date.parse(`${today}T00:00:00Z`) - (days - 1) * 24 * 3600_000)
  const query = { from: first.toISOString().slice(0, 10), to: today }
  return useQuery({
    queryKey: [mode, 'usage', query],
    queryFn: () => ask('GET /panel/api/{mode}/usage', { params: [mode], query }),
    refetchInterval: 2 * LOOK_MS,
  })
}

export const usePlan = () =>
  useQuery({ queryKey: ['plan'], queryFn: readPlan, refetchInterval: 30_000 })

/** What the company was asked to pay. */
export const useInvoices = () =>
  useQuery({ queryKey: ['plan', 'invoices'], queryFn: () => ask('GET /panel/api/plan/invoices') })

/** Of what the person is told by mail, and below how many credits the company is. */
export const useAlerts = () =>
  useQuery({ queryKey: ['alerts'], queryFn: () => ask('GET /panel/api/alerts') })

export function useCap() {
  const { mode } = usePlace()
  return useQuery({ queryKey: ['test', 'cap'], queryFn: readCap, enabled: mode === 'test' })
}

/** Whether the company may make something in production: reading is always free. */
export function useSubscribed(): boolean {
  const { mode } = usePlace()
  const { data } = usePlan()
  return mode === 'test' || !data || data.exempt || data.subscription === 'active'
}
