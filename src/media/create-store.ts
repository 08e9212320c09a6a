import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import type { Config } from '../kernel/config/config.ts'
import { installationSecret } from '../platform/db/storage.ts'
import { createDiskStore } from './disk-store.ts'
import type { MediaStore } from './store.port.ts'

/** Returns the name of the file store, the same on every node that shares it. */
export function mediaStoreName({ dataDir, media: { s3 } }: Config): string {
  if (s3) return `s3 ${s3.endpoint ?? ''} ${s3.bucket}`
  const dir = join(dataDir, 'media')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return `disk ${installationSecret(dir, 'store-id', 12)}`
}

/** Creates the file store that the configuration selects. */
export async function createMediaStore(config: Config, clock: Clock): Promise<MediaStore> {
  const { s3 } = config.media
  if (!s3) return createDiskStore(join(config.dataDir, 'media'))
  // Loaded only if a bucket is configured.
  const { createS3Store } = await import('./s3-store.ts')
  return createS3Store(s3, clock)
}

/**
 * Creates the staging directory, removes files that an earlier process left there, and returns its path. It is outside of
 * the file store, which other nodes may share and receive files for. Each of several workers (`slot`) has one of its
 * own, because the others are using theirs.
 */
export function stagingDir(config: Config, slot: number | null): string {
  const all = join(config.dataDir, 'staging')
  const dir = slot === null ? all : join(all, `worker-${slot}`)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return dir
}
