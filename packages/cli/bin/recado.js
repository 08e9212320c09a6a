#!/usr/bin/env node
// Runs the built program, or in a clone of the repository its source.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`recado precisa do Node 22.19 ou mais novo; este é o ${process.version}.\n`)
  process.exit(1)
}
const built = new URL('../dist/main.js', import.meta.url)
await import((existsSync(built) ? built : new URL('../src/main.ts', import.meta.url)).href)
