// `npm run openapi`: generates openapi.json and panel/openapi.json from the route schemas.
import { writeFileSync } from 'node:fs'
import { pino } from 'pino'
import { createApp } from '../src/app/app.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { makeDataDir, removeDataDir } from '../test/kit/process.ts'
import { renderOpenapi, renderPanelDocument } from '../src/platform/http/openapi.ts'

const dataDir = makeDataDir()
{
  const logger = pino({ level: 'error' })
  await using app = await createApp(parseConfig({ DATA_DIR: dataDir }), { logger })
  const write = (path: string, text: string) =>
    writeFileSync(new URL(`../${path}`, import.meta.url), text)
  write('openapi.json', renderOpenapi(app.server))
  write('panel/openapi.json', renderPanelDocument(app.server))
}
removeDataDir(dataDir)
