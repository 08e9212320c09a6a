// Writes panel/src/api-types.ts: what each route takes and answers, out of the reference and the panel's own document.
import { readFileSync, writeFileSync } from 'node:fs'
import { renderPanelTypes } from './render-panel-types.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
writeFileSync(
  at('panel/src/api-types.ts'),
  renderPanelTypes(
    ['openapi.json', 'panel/openapi.json'].map((path) => readFileSync(at(path), 'utf8')),
  ),
)
