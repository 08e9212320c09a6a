// What deploys Recado agrees with the code: settings, files, options and versions.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { parseConfig } from '../src/kernel/config/config.ts'
import { variablesRead } from './kit/variables-read.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const yaml = (path: string) => parseYaml(read(path)) as Record<string, unknown>
const { scripts, version } = JSON.parse(read('package.json')) as {
  scripts: { start: string }
  version: string
}

type Env = Record<string, string>
type Service = { image: string; environment: Env }
type Compose = { services: Record<string, Service> }
const COMPOSE_FILES = [
  'compose.yml',
  ...['swarm.yml', 'coolify.yaml', 'caprover.yml', 'dokploy/docker-compose.yml'].map(
    (name) => `platforms/${name}`,
  ),
]
const EASYPANEL = 'deploy/platforms/easypanel.json'
/** The server refuses it as too short. */
const PLACEHOLDER = 'CHANGE_THE_KEY'
/** What an operator fills in, under the names of all platforms. */
const FILLED = /\$\{?\$?(\w+)(?::[-?][^}]*)?\}?/g
const GIVEN: Env = {
  RECADO_DOMAIN: 'mensagens.example.com',
  cap_domain: 'mensagens.example.com',
  TRUST_PROXY: '10.0.5.0/24',
}
const SECRET = 'x'.repeat(48)
const fill = (value: string) =>
  value.replace(PLACEHOLDER, SECRET).replaceAll(FILLED, (_, name: string) => GIVEN[name] ?? SECRET)

/** The environment that each platform's file gives to the server. */
function environments(): [string, Env][] {
  const composed = COMPOSE_FILES.map((name): [string, Env] => {
    const { services } = yaml(join('deploy', name)) as unknown as Compose
    const service = services['recado'] ?? services['$$cap_appname']
    assert.ok(service, name)
    return [name, service.environment]
  })
  const { services } = JSON.parse(read(EASYPANEL)) as { services: { data: { env: string } }[] }
  const lines = services[0]?.data.env.split('\n') ?? []
  const pairs = lines.map((line) => line.split(/=(.*)/s).slice(0, 2))
  return [...composed, ['easypanel.json', Object.fromEntries(pairs) as Env]]
}

describe('the deployment files', () => {
  it('the deployment files set only variables that the server reads, to values that it accepts', () => {
    const known = variablesRead()
    const found = environments()
    assert.equal(found.length, 6)
    for (const [name, env] of found) {
      const names = Object.keys(env).filter((key) => !key.startsWith('SERVICE_FQDN_'))
      assert.deepEqual(
        names.filter((key) => !known.includes(key)),
        [],
        name,
      )
      const values = names.map((key) => [key, fill(String(env[key]))])
      const config = parseConfig({
        ...Object.fromEntries(values),
        SMTP_URL: '',
        NATS_URL: '',
        MEDIA_STORE: 'disk',
      })
      assert.equal(config.publicUrl, 'https://mensagens.example.com', name)
      assert.equal(config.sandboxUrl, 'https://sandbox.mensagens.example.com', name)
      assert.ok(config.databaseUrl?.startsWith('postgres://'), name)
    }
  })

  it('the deployment files pin every image, and Recado to its current version', () => {
    const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(ya?ml|json|toml)$/.test(name),
    )
    assert.ok(files.length >= 10)
    for (const name of files) {
      const text = read(join('deploy', name))
      assert.doesNotMatch(text, /:latest\b/, name)
      for (const [, found] of text.matchAll(/\brecado:(\d[\w.]*)/g))
        assert.equal(found, version, name)
    }
    const chart = yaml('deploy/helm/recado/Chart.yaml')
    assert.deepEqual([chart['version'], chart['appVersion']], [version, version])
  })

  it('the Dokploy files route both host names to the port of the Compose service', () => {
    const { services } = yaml('deploy/platforms/dokploy/docker-compose.yml') as unknown as Compose
    const template = parseToml(read('deploy/platforms/dokploy/template.toml')) as unknown as {
      config: { env: string[]; domains: { serviceName: string; port: number; host: string }[] }
    }
    const { domains, env } = template.config
    assert.deepEqual(
      domains.map(({ host, port }) => [host, port]),
      [
        ['${main_domain}', 3000],
        ['sandbox.${main_domain}', 3000],
      ],
    )
    for (const { serviceName } of domains) assert.ok(services[serviceName], serviceName)
    const set = env.map((line) => line.split('=')[0])
    const used = [...JSON.stringify(services).matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    assert.deepEqual(
      used.filter((name) => !set.includes(name)),
      [],
    )
  })

  it('the Portainer template names an existing Compose file and only variables that it uses', () => {
    const { templates } = JSON.parse(read('deploy/platforms/portainer.json')) as {
      templates: { repository: { stackfile: string }; env: { name: string }[] }[]
    }
    const [template] = templates
    assert.ok(template)
    const compose = read(template.repository.stackfile)
    for (const { name } of template.env) assert.ok(compose.includes(`\${${name}`), name)
  })

  it('the deployment files build images from existing files, with the options of npm start', () => {
    const docker = read('Dockerfile')
    const copied = [...docker.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      (match[1] ?? '').split(' '),
    )
    const served = [...docker.matchAll(/\/app\/([\w.]+(?=[ \n]))/g)].map((match) => match[1] ?? '')
    // What a stage of the build makes for a later one.
    const made = ['node_modules', ...[...docker.matchAll(/ > (\S+)/g)].map((match) => match[1])]
    const files = [...copied, ...served.filter((path) => !made.includes(path))]
    assert.ok(files.length >= 10)
    for (const path of files) assert.ok(existsSync(join(ROOT, path)), path)
    const flags = scripts.start.match(/--[\w=-]+/g) ?? []
    assert.ok(flags.length >= 3)
    for (const flag of flags) assert.ok(docker.includes(`"${flag}"`), flag)
  })
})
