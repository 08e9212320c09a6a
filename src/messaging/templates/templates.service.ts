import type { AuditService } from '../../company/audit/audit.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import { toPage } from '../../kernel/schemas.ts'
import {
  DEFAULT_LANGUAGE,
  type MessageTemplate,
  type TemplateBody,
} from '../../model/templates.schemas.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'

/** Manages the templates of instances on the official API. */
export type TemplatesService = ReturnType<typeof createTemplatesService>

/**
 * Creates the service for the templates of an instance.
 * They are reviewed and stored by the network alone.
 */
export function createTemplatesService(deps: {
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  audit: AuditService
}) {
  const { instances, commander, audit } = deps

  /** Throws 404, and 409 if the instance is not connected or has no templates. */
  async function requireCloud(db: Db, scope: Scope, id: string): Promise<void> {
    const { network } = await instances.account(db, scope, id)
    if (network !== 'cloud_api') throw fail('conflict', (say) => say.instances.notCloud)
  }

  return {
    /** Lists the templates. */
    async list(db: Db, scope: Scope, id: string, page: { limit: number; offset: number }) {
      await requireCloud(db, scope, id)
      const all = await commander.run(id, 'listTemplates', {})
      const { limit, offset } = page
      return toPage(all.slice(offset, offset + limit + 1), limit, offset)
    },

    /** Submits a template for approval. Throws 409 if the network rejects it. */
    async create(
      db: Db,
      scope: Scope,
      by: Caller,
      id: string,
      body: TemplateBody,
    ): Promise<MessageTemplate> {
      await requireCloud(db, scope, id)
      const { status } = await commander.run(id, 'createTemplate', body)
      const { name, language = DEFAULT_LANGUAGE, category, header = null, footer = null } = body
      const after = { name, language, category }
      await audit.recordAction(db, scope, by, 'template.create', id, { before: null, after })
      return {
        ...after,
        status,
        body: body.body,
        header,
        footer,
        buttons: [],
        rejectedReason: null,
      }
    },

    /** Deletes a template in all languages. Throws 409 if the network does not know it. */
    async remove(db: Db, scope: Scope, by: Caller, id: string, name: string): Promise<void> {
      await requireCloud(db, scope, id)
      await commander.run(id, 'deleteTemplate', { name })
      await audit.recordAction(db, scope, by, 'template.delete', id, {
        before: { name },
        after: null,
      })
    },
  }
}
