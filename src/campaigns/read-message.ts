import { bodyByType } from '../kernel/body-by-type.ts'
import type { AnyKind, MessageContent } from '../model/kinds/index.ts'
import { kindNamed } from '../model/kinds/index.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { campaignKinds, templateOf } from './campaigns.schemas.ts'
import type { Template } from './campaigns.sql.ts'
import { fillTemplate } from '../kernel/fill-template.ts'

const byType = bodyByType(campaignKinds.map((kind) => [kind.name, templateOf(kind)]))

/** The schema of a campaign message, for the API reference. */
export const messageSchema = byType.body

/** Validates the message of a campaign by its type. Throws 400. */
export function readTemplate(message: object): { kind: AnyKind; template: Template } {
  byType.validateField('message', message)
  const template = { type: 'text', ...message }
  const kind = kindNamed(template.type)
  if (!kind)
    throw fail('internal', (say) => say.http.internal, {
      internal: `unknown kind ${template.type} in the message of a campaign`,
    })
  return { kind, template }
}

/** Renders the message for one recipient. Throws 400 if it cannot be sent. */
export function readMessage(
  template: Template,
  variables: Record<string, string>,
): { kind: AnyKind; content: MessageContent; template: Template } {
  const { kind, template: body } = readTemplate(fillTemplate(template, variables))
  return { kind, content: kind.toContent(body as never), template: body }
}
