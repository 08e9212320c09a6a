// `npm run panel-types`: generates panel/src/data/api-types.ts from openapi.json and panel/openapi.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { renderPanelTypes } from './render-panel-types.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
writeFileSync(
  at('panel/src/data/api-types.ts'),
  renderPanelTypes(
    ['openapi.json', 'panel/openapi.json'].map((path) => readFileSync(at(path), 'utf8')),
  ),
)
