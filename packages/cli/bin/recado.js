#!/usr/bin/env node
// Runs the built program, or in a clone of the repository its source.
import { existsSync } from 'node:fs'

const built = new URL('../dist/main.js', import.meta.url)
await import((existsSync(built) ? built : new URL('../src/main.ts', import.meta.url)).href)
