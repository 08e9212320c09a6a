// `npm run check:server`: packs `recado-server`, installs it in an empty folder, starts it and walks the tour.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeDataDir } from '../../test/kit/process.ts'

const START_MS = 60_000
const STOP_MS = 25_000
const LARGEST_MB = 10
const home = fileURLToPath(new URL('.', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'recado-server-'))
const folder = join(work, 'empty')

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: code ${status}\n${stdout}\n${stderr}`)
  return stdout
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function untilReady(port: number): Promise<void> {
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await pause(100)
  }
  throw new Error(`not ready after ${START_MS / 1000} seconds`)
}

try {
  run(process.execPath, [join(home, 'build.ts')], home)
  run('npm', ['pack', '--pack-destination', work, join(home, 'dist')], work)
  const tarball = readdirSync(work).find((name) => name.endsWith('.tgz')) ?? ''
  const megabytes = statSync(join(work, tarball)).size / 1024 / 1024
  if (megabytes > LARGEST_MB) throw new Error(`${tarball} has ${megabytes.toFixed(1)} MB`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Below `npm run -s`, npm would not say why it failed.
  const flags = ['--no-fund', '--no-audit', '--prefer-offline', '--loglevel=error']
  run('npm', ['install', ...flags, join(work, tarball)], folder)

  const PORT = String(await freePort())
  const env = { ...process.env, PORT, DATA_DIR: join(work, 'data') }
  const server = spawn('node_modules/.bin/recado-server', { cwd: folder, env, stdio: 'pipe' })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve))
  try {
    await untilReady(Number(PORT))
    run('npx', ['recado-server', 'tour'], folder, env)
    // The machine need not reach WhatsApp.
    const offline = { ...env, PRODUCTION_NETWORK: 'simulator' }
    run('npx', ['recado-server', 'ops', 'doctor'], folder, offline)
  } catch (error) {
    process.stderr.write(output)
    throw error
  } finally {
    server.kill('SIGTERM')
  }
  const code = await Promise.race([ended, pause(STOP_MS, 'still running', { ref: false })])
  if (code !== 0) throw new Error(`the server ended with ${code}\n${output}`)
  process.stdout.write(`${tarball}: ${megabytes.toFixed(1)} MB, starts and passes the tour\n`)
} finally {
  removeDataDir(join(work, 'data'))
  rmSync(work, { recursive: true, force: true })
}
