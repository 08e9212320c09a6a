// The reference's pages come from a plugin whose labels are English and whose examples are headings of the fifth level.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'

const LABELS: Record<string, string> = {
  'Allowed values:': 'Valores aceitos:',
  'Any of:': 'Um destes:',
  Authorizations: 'Autenticação',
  Example: 'Exemplo',
  Examples: 'Exemplos',
  'Header Parameters': 'Nos cabeçalhos',
  Headers: 'Cabeçalhos',
  'Media type': 'Tipo',
  'One of:': 'Um destes:',
  Operations: 'Operações',
  Overview: 'Visão geral',
  Parameters: 'Parâmetros',
  'Path Parameters': 'No caminho',
  'Query Parameters': 'Na query',
  'Request Body': 'Corpo da requisição',
  Responses: 'Respostas',
  default: 'padrão',
  generated: 'gerado',
  nullable: 'pode ser null',
  required: 'obrigatório',
}
const LABEL = new RegExp(`>(\\s*)(${Object.keys(LABELS).join('|')})(\\s*)<`, 'g')
/** Code is what a program sends and receives: its words stay. */
const CODE = /(<pre[^]*?<\/pre>)/

const finish = (page: string): string =>
  page
    .replaceAll(/<h5( class="sl-openapi-examples-heading[^>]*>[^]*?)<\/h5>/g, '<p$1</p>')
    .split(CODE)
    .map((part) =>
      part.startsWith('<pre')
        ? part
        : part.replaceAll(
            LABEL,
            (_, before: string, label: string, after: string) =>
              `>${before}${LABELS[label] ?? label}${after}<`,
          ),
    )
    .join('')

/** Writes the labels of the reference in its language, and its examples without headings that skip a level. */
export const finishReference = (): AstroIntegration => ({
  name: 'finish-reference',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const folder = join(fileURLToPath(dir), 'referencia')
      for (const name of globSync('**/*.html', { cwd: folder })) {
        const file = join(folder, name)
        writeFileSync(file, finish(readFileSync(file, 'utf8')))
      }
    },
  },
})
