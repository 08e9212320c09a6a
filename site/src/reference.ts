// The pages of the reference as Markdown, written from the document that the site shows.
import openapi from '../../openapi.json'

type Content = Record<
  string,
  { schema?: object; example?: unknown; examples?: Record<string, Ref> }
>
type Ref = { $ref?: string; value?: unknown }
type Parameter = Ref & {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
}
type Operation = {
  operationId: string
  summary: string
  tags?: string[]
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Ref & { description?: string; content?: Content }>
}
type Document = {
  info: { title: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
}
/** A page of the reference: its address without slashes at its ends, and its Markdown. */
export type ReferencePage = { slug: string; markdown: string }

const PLACES: Record<string, string> = { path: 'caminho', query: 'query', header: 'cabeçalho' }
const code = (value: unknown, language = 'json') =>
  `\`\`\`${language}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n\`\`\``

/** Writes every page of the reference. */
export function readReference(): ReferencePage[] {
  const document = openapi as unknown as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      address: `${method.toUpperCase()} ${path}`,
      slug: `referencia/operations/${operation.operationId.toLowerCase()}`,
      operation,
    })),
  )
  const deliveries = Object.entries(document.webhooks).map(([event, { post }]) => ({
    address: `Webhook ${event}`,
    slug: `referencia/webhooks/${post.operationId.toLowerCase()}`,
    operation: post,
  }))
  const all = [...operations, ...deliveries]
  const list = (pages: typeof all) =>
    pages
      .map(({ address, slug, operation }) => `- [${address}](/${slug}.md): ${operation.summary}`)
      .join('\n')
  const { title, description } = document.info
  const overview = [`# ${title}: referência da API`, description, list(all)].join('\n\n')
  return [
    { slug: 'referencia', markdown: `${overview}\n` },
    ...document.tags.map(({ name, description: about }) => {
      const pages = operations.filter(({ operation }) => operation.tags?.includes(name))
      return {
        slug: `referencia/operations/tags/${name.toLowerCase().replaceAll(' ', '-')}`,
        markdown: `# ${name}\n\n${about}\n\n${list(pages)}\n`,
      }
    }),
    ...all.map(({ address, slug, operation }) => ({
      slug,
      markdown: `${writeOperation(document, address, operation)}\n`,
    })),
  ]
}

function writeOperation(document: Document, address: string, operation: Operation): string {
  const resolve = <Target extends Ref>(one: Target): Target =>
    one.$ref ? { ...(resolveRef(document, one.$ref) as Target), ...one } : one
  const parameters = (operation.parameters ?? []).map(resolve)
  const exampleOf = (content: Content = {}) =>
    Object.values(content)
      .map(
        ({ example, examples }) => example ?? resolve(Object.values(examples ?? {})[0] ?? {}).value,
      )
      .filter((value) => value !== undefined)
      .map((value) => code(value))
  const responses = Object.entries(operation.responses).flatMap(([status, response]) => {
    const { description = '', content } = resolve(response)
    // The bodies of errors differ only in their words.
    const shown = status.startsWith('2') ? exampleOf(content) : []
    return [`### ${status}`, description, ...shown]
  })
  return [
    `# ${operation.summary}`,
    `\`${address}\``,
    operation.description ?? '',
    ...(parameters.length > 0 ? ['## Parâmetros', parameters.map(writeParameter).join('\n')] : []),
    ...(operation.requestBody ? ['## Corpo', ...exampleOf(operation.requestBody.content)] : []),
    '## Respostas',
    ...responses,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function writeParameter({
  name,
  in: place,
  required,
  description = '',
  example,
}: Parameter): string {
  const details = [PLACES[place] ?? place, ...(required ? ['obrigatório'] : [])].join(', ')
  const shown = example === undefined ? '' : ` Exemplo: \`${String(example)}\`.`
  return `- \`${name}\` (${details}): ${description.replace(/\.$/, '')}.${shown}`
}

function resolveRef(document: Document, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document)
}
