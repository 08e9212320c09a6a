// `npm run check:helm`: renders the chart with several values and checks the objects against the types of Kubernetes.
// Needs Go, Sprig and sigs.k8s.io/yaml from the system's packages (golang-github-masterminds-sprig-dev and
// golang-k8s-sigs-yaml-dev on Debian).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'

const TYPES = ['kubernetes-models@5.1.0', '@kubernetes-models/prometheus-operator@6.0.0']
/** The module that has the type of each object. */
const MODULES: Record<string, string> = {
  'v1/Secret': 'kubernetes-models/v1',
  'v1/Service': 'kubernetes-models/v1',
  'v1/PersistentVolumeClaim': 'kubernetes-models/v1',
  'apps/v1/Deployment': 'kubernetes-models/apps/v1',
  'policy/v1/PodDisruptionBudget': 'kubernetes-models/policy/v1',
  'networking.k8s.io/v1/Ingress': 'kubernetes-models/networking.k8s.io/v1',
  'monitoring.coreos.com/v1/ServiceMonitor':
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
}

type Values = Record<string, unknown>
type Resource = { apiVersion: string; kind: string; metadata: { name: string } }
type Deployment = Resource & {
  spec: {
    strategy: { type: string }
    template: { spec: { containers: { env: { name: string; value: string }[] }[] } }
  }
}

const root = fileURLToPath(new URL('..', import.meta.url))
const chart = join(root, 'deploy/helm/recado')
const work = mkdtempSync(join(tmpdir(), 'recado-helm-'))
const renderer = join(work, 'render')

/** What every installation sets. */
const LEAST = {
  domain: 'mensagens.example.com',
  image: { repository: 'registry.example.com/recado' },
  secrets: { MASTER_KEY: 'k'.repeat(44), DATABASE_URL: 'postgres://recado:x@db/recado' },
}
/** A fleet with everything that is optional. */
const FLEET = {
  ...LEAST,
  existingSecret: 'recado-secrets',
  replicas: 3,
  media: { store: 's3', s3: { bucket: 'files', endpoint: 'http://minio:9000' } },
  env: {
    LOG_LEVEL: 'warn',
    MEDIA_RETENTION_DAYS: 90,
    PANEL_URL: 'https://painel.example.com',
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  imagePullSecrets: [{ name: 'registry' }],
  podAnnotations: { team: 'messaging' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'messaging', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}

function run(command: string, args: string[], options: object = {}): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: work,
    encoding: 'utf8',
    ...options,
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}${error ?? ''}`)
}

/** The objects. Throws with the sentence with which the chart refuses the values. */
function render(values: Values): Resource[] {
  const input = JSON.stringify({ chart, values })
  const { status, stdout, stderr } = spawnSync(renderer, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Resource[]
}

/** A program that compiles only if Kubernetes knows every field of the objects. */
function asProgram(objects: Resource[]): string {
  const lines = objects.map((object, index) => {
    const { apiVersion, kind } = object
    const from = MODULES[`${apiVersion}/${kind}`]
    assert.ok(from, `no types for ${apiVersion}/${kind}`)
    const type = `import('${from}').I${kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(object, null, 2)}`
  })
  return `${lines.join('\n')}\n`
}

const named = (objects: Resource[]) => objects.map(({ kind }) => kind).toSorted()
const deploymentOf = (objects: Resource[]) =>
  objects.find((object): object is Deployment => object.kind === 'Deployment')

try {
  const go = {
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(work, 'go'),
    HOME: work,
  }
  const source = join(root, 'scripts/render-helm.go')
  run('go', ['build', '-o', renderer, source], { env: { ...process.env, ...go } })

  const least = render(LEAST)
  const kinds = ['Deployment', 'Ingress', 'PersistentVolumeClaim', 'Secret', 'Service']
  assert.deepEqual(named(least), kinds)
  assert.equal(deploymentOf(least)?.spec.strategy.type, 'Recreate')
  const fleet = render(FLEET)
  const more = ['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service', 'ServiceMonitor']
  assert.deepEqual(named(fleet), more)
  assert.equal(deploymentOf(fleet)?.spec.strategy.type, 'RollingUpdate')

  const panel = deploymentOf(fleet)?.spec.template.spec.containers[0]?.env.find(
    ({ name }) => name === 'PANEL_URL',
  )
  assert.equal(panel?.value, 'https://painel.example.com')

  const refusals: [Values, RegExp][] = [
    [{ ...LEAST, replicas: 2 }, /set media\.store to s3/],
    [{ ...LEAST, domain: '' }, /set domain/],
    [{ ...LEAST, image: { repository: '' } }, /set image\.repository/],
    [{ ...LEAST, secrets: { DATABASE_URL: 'x' } }, /set secrets\.MASTER_KEY/],
    [{ ...FLEET, media: { store: 's3' } }, /set media\.s3\.bucket/],
  ]
  for (const [values, why] of refusals) assert.throws(() => render(values), why)

  const ajv = new Ajv({ allowUnionTypes: true })
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as object
  const isValid = ajv.compile(schema)
  for (const values of [LEAST, FLEET])
    assert.ok(isValid({ replicas: 1, media: {}, ...values }), ajv.errorsText(isValid.errors))
  assert.ok(!isValid({ replicas: 1, media: {}, ...LEAST, replica: 2 }))

  // The chart passes only settings that the server reads.
  const settings = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
  for (const objects of [least, fleet]) {
    const [container] = deploymentOf(objects)?.spec.template.spec.containers ?? []
    assert.ok(container && container.env.length >= 5)
    // The root of a volume belongs to root, so the server cannot set its mode.
    const dataDir = container.env.find(({ name }) => name === 'DATA_DIR')?.value
    assert.match(dataDir ?? '', /^\/data\/./)
    const names = container.env.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    for (const { name, value } of container.env) {
      assert.ok(settings.includes(`\`${name}\``), name)
      assert.equal(typeof value, 'string', name)
    }
  }

  run('npm', ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error', ...TYPES])
  writeFileSync(join(work, 'objects.ts'), asProgram([...least, ...fleet]))
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--types', '', 'objects.ts']
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags])
  writeFileSync(
    join(work, 'objects.ts'),
    asProgram(fleet).replace('"imagePullPolicy"', '"imagePulPolicy"'),
  )
  assert.throws(
    () => run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags]),
    /imagePulPolicy/,
  )
  process.stdout.write(`${least.length + fleet.length} objects of the chart checked\n`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
