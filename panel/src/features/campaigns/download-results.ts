import { callApi, type Mode } from '../../data/api.ts'
import type { Campaign, CampaignRecipient } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { downloadCsv } from '../../ui/download-csv.ts'

const PAGE = 200

/** Downloads what became of each recipient as a CSV file, limited to a status if one is given. */
export async function downloadResults(
  mode: Mode,
  { id, name }: Campaign,
  status: CampaignRecipient['status'] | undefined,
): Promise<void> {
  const items: CampaignRecipient[] = []
  for (;;) {
    const page = await callApi(mode, 'GET /v1/campaigns/{id}/recipients', {
      params: [id],
      query: { limit: PAGE, offset: items.length, ...(status ? { status } : {}) },
    })
    items.push(...page.items)
    if (!page.hasMore) break
  }
  const variables = [...new Set(items.flatMap((item) => Object.keys(item.variables)))]
  downloadCsv(`${name}.csv`, [
    [t.messages.to, t.common.status, t.requests.result, ...variables],
    ...items.map((item) => [
      item.to,
      t.recipients[item.status],
      (item.reason && t.campaigns[item.reason]) ?? item.message?.error?.message ?? '',
      ...variables.map((key) => item.variables[key] ?? ''),
    ]),
  ])
}
