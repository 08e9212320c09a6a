import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { LabelCounts } from './labels.schemas.ts'
import type { LabelsService } from './labels.service.ts'

/** Registers the panel's private route for label usage counts, under `/panel/api/:mode`. */
export function addLabelPanelRoute(
  server: Server,
  deps: { db: Db; labels: LabelsService; guard: Guard },
): void {
  const { db, labels, guard: onRequest } = deps
  server.get(
    '/instances/:id/label-counts',
    {
      onRequest,
      schema: { params: Type.Object({ id: Type.String() }), response: { 200: LabelCounts } },
    },
    (request) => labels.counts(db, scopeOf(request), request.params.id),
  )
}
