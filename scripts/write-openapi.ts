// `npm run openapi`: generates openapi.json and panel/openapi.json from the route schemas.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app/app.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { renderOpenapi, renderPanelDocument } from '../src/platform/http/openapi.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'recado-openapi-'))
chmodSync(dataDir, 0o711)
{
  const logger = pino({ level: 'error' })
  await using app = await createApp(parseConfig({ DATA_DIR: dataDir }), { logger })
  const write = (path: string, text: string) =>
    writeFileSync(new URL(`../${path}`, import.meta.url), text)
  write('openapi.json', renderOpenapi(app.server))
  write('panel/openapi.json', renderPanelDocument(app.server))
}
rmSync(dataDir, { recursive: true, force: true })
