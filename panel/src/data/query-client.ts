import {
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type QueryKey,
} from '@tanstack/react-query'
import { ApiError } from './api.ts'

const RETRIES = 2

/**
 * The panel's query cache. TanStack joins an invalidation with a first load in flight, whose response may predate the
 * change; such queries are invalidated again once they have loaded, so that no page keeps what it showed before.
 */
export class PanelQueryClient extends QueryClient {
  constructor() {
    super({
      defaultOptions: {
        queries: {
          // A 4xx response would only be repeated.
          retry: (count, error) =>
            !(error instanceof ApiError && error.status > 0 && error.status < 500) &&
            count < RETRIES,
          staleTime: 5000,
          // A browser without internet access may still reach a server in its own network.
          networkMode: 'always',
          refetchOnReconnect: 'always',
        },
      },
    })
  }

  /** Marks the matching queries stale and refetches the ones in use; resolves once their data is newer than the call. */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const loading = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined)
    const again = loading.map(async (query) => {
      // Joins the load in flight, whose failure its observers show.
      await query.fetch().catch(() => {})
      await super.invalidateQueries({ ...filters, queryKey: query.queryKey, exact: true }, options)
    })
    await Promise.all([super.invalidateQueries(filters, options), ...again])
  }
}
