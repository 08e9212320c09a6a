#!/usr/bin/env node
// `recado-server` starts what `npm start` starts in a clone; `recado-server ops …` and `recado-server tour` run what
// `npm run ops` and `npm run tour` run there.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const PROGRAMS = { ops: 'src/cli.js', tour: 'scripts/tour.js' }
const [name = '', ...rest] = process.argv.slice(2)
const other = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
if (name !== '' && !other) {
  process.stderr.write(
    `recado-server: unknown command «${name}». Without a command it starts the server; the others are: ${Object.keys(PROGRAMS).join(', ')}\n`,
  )
  process.exit(1)
}

const home = new URL('../', import.meta.url)
const { startOptions } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'))
const program = fileURLToPath(new URL(other ?? 'src/main.js', home))
// The Node.js of the package, which need not be the one that runs this file.
let node
try {
  node = createRequire(import.meta.url).resolve('node/bin/node')
} catch {
  process.stderr.write(
    'recado-server: the package `node` has no program; install again with install scripts allowed\n',
  )
  process.exit(1)
}
const child = spawn(node, [...(other ? [] : startOptions), program, ...rest], {
  stdio: 'inherit',
  env: { MALLOC_ARENA_MAX: '2', ...process.env },
})
// A terminal signals both processes and a service manager this one; a second signal would end the server at once.
const { isTTY } = process.stdin
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (signal === 'SIGTERM' || !isTTY) child.kill(signal)
  })
}
child.once('error', (error) => {
  process.stderr.write(`recado-server: ${node} did not start: ${error.message}\n`)
  process.exit(1)
})
child.once('exit', (code, signal) =>
  process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']),
)
