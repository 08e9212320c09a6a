import { useQueries, useQuery } from '@tanstack/react-query'
import { callApi, callPanel, type Mode } from './api.ts'
import type { Label } from './api-types.ts'
import { readCap, readPlan } from './session.ts'
import { canDevelop, usePanel } from '../shell/page.tsx'
import { todayInSaoPaulo } from '../ui/time.tsx'

const POLL_INTERVAL_MS = 5000
const PAGE = 200

/** Loads every page of a list. */
async function fetchAllPages<Item>(
  ask: (page: { limit: number; offset: number }) => Promise<{ items: Item[]; hasMore: boolean }>,
): Promise<{ items: Item[] }> {
  const items: Item[] = []
  for (;;) {
    const page = await ask({ limit: PAGE, offset: items.length })
    items.push(...page.items)
    if (!page.hasMore || page.items.length === 0) return { items }
  }
}

/** All instances of the current mode. */
export function useInstances(enabled = true) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => fetchAllPages((query) => callApi(mode, 'GET /v1/instances', { query })),
    enabled,
  })
}

/** One instance of the current mode. */
export function useInstance(id: string) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'instances', id],
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}', { params: [id] }),
  })
}

/** The simulator phones, including those paired with instances; test mode only. */
export function usePhones() {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'phones', 'all'],
    queryFn: async () => (await callApi('test', 'GET /v1/simulator/phones')).items,
    enabled: mode === 'test',
  })
}

const labelsQuery = (mode: Mode, instanceId: string) => ({
  queryKey: [mode, 'labels', instanceId] as const,
  queryFn: () =>
    fetchAllPages((query) =>
      callApi(mode, 'GET /v1/instances/{id}/labels', { params: [instanceId], query }),
    ),
})

/** All labels of an instance. */
export function useLabels(instanceId: string) {
  const { mode } = usePanel()
  return useQuery(labelsQuery(mode, instanceId))
}

/** All labels of several instances. */
export function useAllLabels(instanceIds: string[]): Label[] {
  const { mode } = usePanel()
  return useQueries({
    queries: instanceIds.map((id) => labelsQuery(mode, id)),
    combine: (results) => results.flatMap(({ data }) => data?.items ?? []),
  })
}

/** The webhooks of the current mode, for users who may manage them. */
export function useWebhooks() {
  const { mode, me } = usePanel()
  return useQuery({
    queryKey: [mode, 'webhooks'],
    queryFn: () => callApi(mode, 'GET /v1/webhooks'),
    enabled: canDevelop(me),
    // No live event reports the time of the last success, so poll.
    refetchInterval: 2 * POLL_INTERVAL_MS,
  })
}

/** The API keys of the current mode, for users who may manage them. */
export function useKeys() {
  const { mode, me } = usePanel()
  return useQuery({
    queryKey: [mode, 'keys'],
    queryFn: () => callApi(mode, 'GET /v1/keys'),
    enabled: canDevelop(me),
  })
}

/** Delivery statistics of the last 24 hours. Polled, since no live event reports the end of an attempt. */
export function useHealth() {
  const { mode, me } = usePanel()
  return useQuery({
    queryKey: [mode, 'health'],
    queryFn: () => callPanel('GET /panel/api/{mode}/deliveries/health', { params: [mode] }),
    enabled: canDevelop(me),
    refetchInterval: POLL_INTERVAL_MS,
  })
}

/** How long contacts waited for the first answer in the last seven days. */
export function useResponseTimes() {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'response-times'],
    queryFn: () => callApi(mode, 'GET /v1/response-times'),
    refetchInterval: 2 * POLL_INTERVAL_MS,
  })
}

/** Usage of the last `days` days including today, in São Paulo time. */
export function useUsage(days: number, enabled = true) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'usage', days],
    enabled,
    queryFn: () => {
      const to = todayInSaoPaulo()
      const first = new Date(Date.parse(to) - (days - 1) * 24 * 3600_000)
      const query = { from: first.toISOString().slice(0, 10), to }
      return callPanel('GET /panel/api/{mode}/usage', { params: [mode], query })
    },
    refetchInterval: 2 * POLL_INTERVAL_MS,
  })
}

/** The company's plan, subscription and credits. */
export const usePlan = () =>
  useQuery({ queryKey: ['plan'], queryFn: readPlan, refetchInterval: 30_000 })

/** The company's invoices. */
export const useInvoices = () =>
  useQuery({
    queryKey: ['plan', 'invoices'],
    queryFn: () => callPanel('GET /panel/api/plan/invoices'),
  })

/** The user's e-mail alerts, and the company's threshold for low credits. */
export const useAlerts = () =>
  useQuery({ queryKey: ['alerts'], queryFn: () => callPanel('GET /panel/api/alerts') })

/** Today's use of the daily limit of the test mode. */
export function useDailyCap() {
  const { mode } = usePanel()
  return useQuery({ queryKey: ['test', 'cap'], queryFn: readCap, enabled: mode === 'test' })
}

/** Whether the company may create things in this mode; reading is always free. True until the plan has loaded. */
export function useSubscribed(): boolean {
  const { mode } = usePanel()
  const { data } = usePlan()
  return mode === 'test' || !data || data.exempt || data.subscription === 'active'
}
