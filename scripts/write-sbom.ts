// `npm run -s sbom`: prints the bill of materials of what is installed, in CycloneDX. The images carry theirs as
// /app/sbom.json: packages that a target leaves out are not in it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

type Bill = {
  components: { 'bom-ref': string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}
type Lock = { packages: Record<string, { version?: string }> }

const options = [
  '--omit=dev',
  '--workspaces=false',
  '--package-lock-only',
  '--sbom-format=cyclonedx',
]
const bill = JSON.parse(
  execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
) as Bill
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
const installed = new Set(
  Object.entries(lock.packages)
    .filter(([path]) => path !== '' && existsSync(path))
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
)
const components = bill.components.filter(({ name, version }) =>
  installed.has(`${name}@${version}`),
)
const kept = new Set(components.map((one) => one['bom-ref']))
const left = new Set(bill.components.map((one) => one['bom-ref']).filter((ref) => !kept.has(ref)))
const dependencies = bill.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => !left.has(one)) }))
process.stdout.write(`${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`)
