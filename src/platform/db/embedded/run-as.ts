import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../../../kernel/phrases/fail.ts'
import { say } from '../../../kernel/phrases/phrases.ts'

/** The user PostgreSQL runs as; null for the current user. */
export type RunAs = { uid: number; gid: number } | null

/**
 * PostgreSQL refuses to run as root. When the current user is root, an existing database runs as its owner, who may be
 * the user of a running server, and a new one runs as `postgres` or `nobody`. Throws StartFault when neither exists.
 */
export function chooseUser(dataDir: string): RunAs {
  if (process.getuid?.() !== 0) return null
  const owner = statSync(join(dataDir, 'postgres', 'cluster'), { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new StartFault(say.start.noUser)
}

/** Whether that user can enter the directory, tested by trying it as that user. */
export function canEnter(user: RunAs, dir: string): boolean {
  if (!user) return true
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { ...user, stdio: 'ignore' })
  return probe.status === 0
}

/** Runs a program as that user and returns its exit code. Its output is appended to the open file `log`. */
export function runCommand(
  user: RunAs,
  program: string,
  args: string[],
  options: { cwd: string; log: number; env?: Record<string, string> },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...user,
      cwd: options.cwd,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...options.env },
      stdio: ['ignore', options.log, options.log],
    })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
