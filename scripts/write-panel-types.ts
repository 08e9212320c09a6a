// Writes panel/src/api-types.ts: what each route of the API takes and answers, out of the reference.
import { readFileSync, writeFileSync } from 'node:fs'
import { renderPanelTypes } from './render-panel-types.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
writeFileSync(
  at('panel/src/api-types.ts'),
  renderPanelTypes(readFileSync(at('openapi.json'), 'utf8')),
)
