import { Type } from 'typebox'
import { catalog } from '../catalog/index.ts'
import { HistoryEnvelope } from '../events.schemas.ts'
import { describeEvents } from '../../platform/http/openapi.ts'
import type { Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'

/**
 * Adds the panel's private route for example events, under `/panel/api/:mode`; the API reference shows the same
 * examples.
 */
export function addWebhookPanelRoute(server: Server, { guard: onRequest }: { guard: Guard }): void {
  const items = Object.values(describeEvents(catalog)).map(
    ({ example }) => example as HistoryEnvelope,
  )
  server.get(
    '/event-examples',
    {
      onRequest,
      schema: {
        response: {
          200: Type.Object({ items: Type.Array(HistoryEnvelope) }, { title: 'EventExamples' }),
        },
      },
    },
    async () => ({ items }),
  )
}
