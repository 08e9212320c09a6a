import {
  DEFAULT_LANGUAGE,
  type MessageTemplate,
  type TemplateBody,
} from '../../model/templates.schemas.ts'
import type { CloudAccount } from './account.ts'
import type { Graph } from './graph.ts'
import { listAll } from './list-all.ts'
import { listOf, textOf, type Unknown } from './unknown.ts'

const FIELDS = 'name,language,category,status,components,rejected_reason'
const PAGE_SIZE = 100

/** Lists the templates of an account. */
export async function listTemplates(
  graph: Graph,
  account: CloudAccount,
): Promise<MessageTemplate[]> {
  const path = `${account.businessAccountId}/message_templates?fields=${FIELDS}&limit=${PAGE_SIZE}`
  return (await listAll(graph, account, path)).map(toTemplate)
}

/** Submits a template for approval; returns its status. */
export async function createTemplate(
  graph: Graph,
  account: CloudAccount,
  {
    name,
    language = DEFAULT_LANGUAGE,
    category,
    body,
    header,
    footer,
    variables = [],
  }: TemplateBody,
): Promise<{ status: string }> {
  const example = variables.length > 0 ? { example: { body_text: [variables] } } : {}
  const answer = await graph.post(account, `${account.businessAccountId}/message_templates`, {
    name,
    language,
    category,
    components: [
      ...(header ? [{ type: 'HEADER', format: 'TEXT', text: header }] : []),
      { type: 'BODY', text: body, ...example },
      ...(footer ? [{ type: 'FOOTER', text: footer }] : []),
    ],
  })
  return { status: textOf(answer['status']) ?? 'PENDING' }
}

/** Deletes a template in all languages. */
export async function deleteTemplate(
  graph: Graph,
  account: CloudAccount,
  name: string,
): Promise<void> {
  await graph.remove(
    account,
    `${account.businessAccountId}/message_templates?name=${encodeURIComponent(name)}`,
  )
}

function toTemplate(template: Unknown): MessageTemplate {
  const components = listOf(template, 'components')
  const part = (type: string) => components.find((one) => one['type'] === type) ?? {}
  const rejectedReason = textOf(template['rejected_reason'])
  return {
    name: textOf(template['name']) ?? '',
    language: textOf(template['language']) ?? '',
    category: textOf(template['category']) ?? '',
    status: textOf(template['status']) ?? '',
    body: textOf(part('BODY')['text']),
    header: textOf(part('HEADER')['text']) ?? textOf(part('HEADER')['format']),
    footer: textOf(part('FOOTER')['text']),
    buttons: listOf(part('BUTTONS'), 'buttons').map((button) => ({
      type: textOf(button['type']) ?? '',
      text: textOf(button['text']) ?? '',
    })),
    rejectedReason: rejectedReason === 'NONE' ? null : rejectedReason,
  }
}
