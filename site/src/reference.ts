// The pages of the reference as Markdown, written from the document that the site shows.
import { DOCUMENTS } from './translate-reference.ts'

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

/** Words of the pages besides the document's own texts. */
type Words = {
  reference: string
  parameters: string
  body: string
  responses: string
  required: string
  example: string
  places: Record<string, string>
}
const EDITIONS: { base: string; document: object; words: Words }[] = [
  {
    base: 'referencia',
    document: DOCUMENTS.root,
    words: {
      reference: 'referência da API',
      parameters: 'Parâmetros',
      body: 'Corpo',
      responses: 'Respostas',
      required: 'obrigatório',
      example: 'Exemplo',
      places: { path: 'caminho', query: 'query', header: 'cabeçalho' },
    },
  },
  {
    base: 'en/referencia',
    document: DOCUMENTS.en,
    words: {
      reference: 'API reference',
      parameters: 'Parameters',
      body: 'Body',
      responses: 'Responses',
      required: 'required',
      example: 'Example',
      places: { path: 'path', query: 'query', header: 'header' },
    },
  },
  {
    base: 'es/referencia',
    document: DOCUMENTS.es,
    words: {
      reference: 'referencia de la API',
      parameters: 'Parámetros',
      body: 'Cuerpo',
      responses: 'Respuestas',
      required: 'obligatorio',
      example: 'Ejemplo',
      places: { path: 'ruta', query: 'query', header: 'encabezado' },
    },
  },
]
const code = (value: unknown, language = 'json') =>
  `\`\`\`${language}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n\`\`\``

/** Writes every page of the reference, in all languages. */
export const readReference = (): ReferencePage[] =>
  EDITIONS.flatMap(({ base, document, words }) => writeEdition(base, document as Document, words))

function writeEdition(base: string, document: Document, words: Words): ReferencePage[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      address: `${method.toUpperCase()} ${path}`,
      slug: `${base}/operations/${operation.operationId.toLowerCase()}`,
      operation,
    })),
  )
  const deliveries = Object.entries(document.webhooks).map(([event, { post }]) => ({
    address: `Webhook ${event}`,
    slug: `${base}/webhooks/${post.operationId.toLowerCase()}`,
    operation: post,
  }))
  const all = [...operations, ...deliveries]
  const list = (pages: typeof all) =>
    pages
      .map(({ address, slug, operation }) => `- [${address}](/${slug}.md): ${operation.summary}`)
      .join('\n')
  const { title, description } = document.info
  const overview = [`# ${title}: ${words.reference}`, description, list(all)].join('\n\n')
  return [
    { slug: base, markdown: `${overview}\n` },
    ...document.tags.map(({ name, description: about }) => {
      const pages = operations.filter(({ operation }) => operation.tags?.includes(name))
      return {
        slug: `${base}/operations/tags/${name.toLowerCase().replaceAll(' ', '-')}`,
        markdown: `# ${name}\n\n${about}\n\n${list(pages)}\n`,
      }
    }),
    ...all.map(({ address, slug, operation }) => ({
      slug,
      markdown: `${writeOperation({ document, words }, address, operation)}\n`,
    })),
  ]
}

function writeOperation(
  { document, words }: { document: Document; words: Words },
  address: string,
  operation: Operation,
): string {
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
    ...(parameters.length > 0
      ? [`## ${words.parameters}`, parameters.map((one) => writeParameter(words, one)).join('\n')]
      : []),
    ...(operation.requestBody
      ? [`## ${words.body}`, ...exampleOf(operation.requestBody.content)]
      : []),
    `## ${words.responses}`,
    ...responses,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function writeParameter(words: Words, parameter: Parameter): string {
  const { name, in: place, required, description = '', example } = parameter
  const details = [words.places[place] ?? place, ...(required ? [words.required] : [])].join(', ')
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  const shown = example === undefined ? '' : ` ${words.example}: \`${text}\`.`
  return `- \`${name}\` (${details}): ${description.replace(/\.$/, '')}.${shown}`
}

function resolveRef(document: Document, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document)
}
