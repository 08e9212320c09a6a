// `npm run build:server`: writes the package `recado-server` to `packages/server/dist`, with which
// `npx recado-server` starts Recado without a clone. Node.js does not run TypeScript below node_modules, so the
// package has the compiled source, and the panel as it is served.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPanel } from '../../src/app/build-panel.ts'

const home = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(home, 'dist')
const BESIDE_SOURCE = [
  'migrations',
  'panel/dist',
  'openapi.json',
  'CHANGELOG.md',
  'LICENSE',
  'NOTICE',
]
/** The options of `npm start` are those of the packed server, too. */
const OPTION = /(?<=exec node ).*(?= src\/main\.ts)/

type Manifest = Record<string, unknown> & { name: string; scripts: { start: string } }
const manifestOfClone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const startOptions = OPTION.exec(manifestOfClone.scripts.start)?.[0].split(' ')
if (!startOptions)
  throw new Error(`cannot read the options from «${manifestOfClone.scripts.start}»`)

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', home], {
  stdio: 'inherit',
})
await buildPanel()
for (const path of BESIDE_SOURCE) cpSync(join(root, path), join(dist, path), { recursive: true })
cpSync(join(home, 'README.md'), join(dist, 'README.md'))
cpSync(join(home, 'bin'), join(dist, 'bin'), { recursive: true })
chmodSync(join(dist, 'bin/recado-server.js'), 0o755)

const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines'] as const
const manifest = {
  ...Object.fromEntries(KEPT.map((key) => [key, manifestOfClone[key]])),
  bin: { 'recado-server': 'bin/recado-server.js' },
  startOptions,
  dependencies: manifestOfClone['dependencies'],
  optionalDependencies: manifestOfClone['optionalDependencies'],
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
