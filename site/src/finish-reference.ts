// The reference's pages come from a plugin whose labels are English and whose examples are headings of the fifth level.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'

const PORTUGUESE: Record<string, string> = {
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
const SPANISH: Record<string, string> = {
  'Allowed values:': 'Valores aceptados:',
  'Any of:': 'Uno de estos:',
  Authorizations: 'Autenticación',
  Example: 'Ejemplo',
  Examples: 'Ejemplos',
  'Header Parameters': 'En los encabezados',
  Headers: 'Encabezados',
  'Media type': 'Tipo',
  'One of:': 'Uno de estos:',
  Operations: 'Operaciones',
  Overview: 'Resumen',
  Parameters: 'Parámetros',
  'Path Parameters': 'En la ruta',
  'Query Parameters': 'En la query',
  'Request Body': 'Cuerpo de la solicitud',
  Responses: 'Respuestas',
  default: 'por defecto',
  generated: 'generado',
  nullable: 'puede ser null',
  required: 'obligatorio',
}
/** The labels of each folder of the site; the English ones are those of the plugin. */
const EDITIONS: [folder: string, labels: Record<string, string>][] = [
  ['referencia', PORTUGUESE],
  ['en/referencia', {}],
  ['es/referencia', SPANISH],
]
const LABEL = new RegExp(`>(\\s*)(${Object.keys(PORTUGUESE).join('|')})(\\s*)<`, 'g')
/** Code is what a program sends and receives: its words stay. */
const CODE = /(<pre[^]*?<\/pre>)/

const finish = (page: string, labels: Record<string, string>): string =>
  page
    .replaceAll(/<h5( class="sl-openapi-examples-heading[^>]*>[^]*?)<\/h5>/g, '<p$1</p>')
    .split(CODE)
    .map((part) =>
      part.startsWith('<pre')
        ? part
        : part.replaceAll(
            LABEL,
            (_, before: string, label: string, after: string) =>
              `>${before}${labels[label] ?? label}${after}<`,
          ),
    )
    .join('')

/** Writes the labels of the reference in its language, and its examples without headings that skip a level. */
export const finishReference = (): AstroIntegration => ({
  name: 'finish-reference',
  hooks: {
    'astro:build:done': ({ dir }) => {
      for (const [name, labels] of EDITIONS) {
        const folder = join(fileURLToPath(dir), name)
        for (const path of globSync('**/*.html', { cwd: folder })) {
          const file = join(folder, path)
          writeFileSync(file, finish(readFileSync(file, 'utf8'), labels))
        }
      }
    },
  },
})
