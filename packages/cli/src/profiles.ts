import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { CommandError, EXIT } from './output.ts'
import { say } from './phrases.ts'

/** What `recado listen --durable` keeps between runs. */
export type DurableState = {
  inboxId: string
  webhookId: string
  /** Signs what the webhook leaves in the inbox. */
  secret: string
  /** The events and the instance that the webhook was created for. */
  wanted: string
  /** The last request that was delivered. */
  lastId: number
}
/** A saved key, the address of its server, and what `listen` needs. */
export type Profile = {
  apiKey: string
  url?: string
  /** The id of the key's Project. */
  project?: string
  /** Signs what `listen` forwards. */
  secret?: string
  durable?: DurableState
}

/** The file of all profiles, which only its owner may read. A relative folder of the environment is to be ignored. */
function path(): string {
  const { XDG_CONFIG_HOME: given = '' } = process.env
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'recado', 'profiles.json')
}

/** Reads all profiles; none if the file is missing. */
export function readProfiles(): Record<string, Profile> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path(), 'utf8'))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, Profile>
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    if (code !== undefined) throw new CommandError(say.unreadable(path(), code), EXIT.key)
  }
  throw new CommandError(say.badProfiles(path()), EXIT.key)
}

/** Writes a profile, or removes it if null. The file is replaced at once, with mode 600. */
export function writeProfile(name: string, profile: Profile | null): void {
  const { [name]: _, ...others } = readProfiles()
  const file = path()
  const next = `${file}.${process.pid}`
  const all = profile ? { ...others, [name]: profile } : others
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
    chmodSync(next, 0o600)
    renameSync(next, file)
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException
    throw new CommandError(say.unwritable(file, code), EXIT.failed)
  }
}
