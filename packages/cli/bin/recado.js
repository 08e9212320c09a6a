#!/usr/bin/env node
// Runs the built program, or in a clone of the repository its source.
import { existsSync, readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const oldest = engines.node.replace('>=', '')
const [major, minor] = oldest.split('.').map(Number)
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
// Not among the phrases: an older Node cannot read them.
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  process.stderr.write(
    `recado precisa do Node ${oldest} ou mais novo; este é o ${process.version}.\n`,
  )
  process.exit(1)
}
const built = new URL('../dist/main.js', import.meta.url)
await import((existsSync(built) ? built : new URL('../src/main.ts', import.meta.url)).href)
