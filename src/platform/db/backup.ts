import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Config } from '../../kernel/config/config.ts'
import type { Database } from './database.ts'
import { errorCode } from './database-errors.ts'
import { opensProbes } from './master-key.ts'
import { migrate, newestMigration } from './migrate.ts'
import { createDailyPartitions } from './partitions.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  inTransaction,
  isInUse,
  listDailyPartitions,
  listSequences,
  listTables,
  prepareTables,
  readProbes,
  copyTableOut,
  schemaVersion,
  setSequence,
  enableTriggers,
  copyTableIn,
} from './backup.sql.ts'

const MANIFEST = 'manifest.json'
const TABLES = 'tables'
const MEDIA = 'media'
/** Uploads in progress of earlier versions, which no message refers to yet. */
const STAGING = 'staging'
const BLOCK_BYTES = 65_536

const Manifest = Type.Object({
  format: Type.Literal(1),
  schema: Type.Integer(),
  /** A known value sealed with each master key in use: a restore needs keys that open them. Base64. */
  probes: Type.Array(Type.String()),
  /** Whether the backup contains the files of messages; files in S3 are not included. */
  media: Type.Boolean(),
  tables: Type.Array(
    Type.Object({ name: Type.String(), columns: Type.Array(Type.String()), sha256: Type.String() }),
  ),
  days: Type.Array(Type.Object({ table: Type.String(), name: Type.String() })),
  sequences: Type.Array(
    Type.Object({ name: Type.String(), last: Type.String(), called: Type.Boolean() }),
  ),
})
type Manifest = Static<typeof Manifest>

/**
 * Writes a backup into a new folder: a consistent snapshot of the database, table by table, and the files of messages.
 * Servers may keep running. The manifest is written last, so a folder without one is not a valid backup. The master key
 * is not included. Throws StartFault when the folder is not empty.
 */
export async function backUp(
  config: Config,
  database: Database,
  folder: string,
): Promise<{ folder: string; tables: number; media: boolean }> {
  await mkdir(join(folder, TABLES), { recursive: true, mode: 0o700 })
  const present = await readdir(folder)
  if (present.some((name) => name !== TABLES) || (await readdir(join(folder, TABLES))).length > 0)
    throw new StartFault(say.ops.folderNotEmpty(folder))
  const manifest = await inTransaction(
    database,
    'reads one moment',
    async (sql): Promise<Manifest> => {
      const tables: Manifest['tables'] = []
      for (const table of await listTables(sql)) {
        const file = createWriteStream(fileOf(folder, table.name), { flags: 'wx', mode: 0o600 })
        const hash = hashing()
        await pipeline(
          await copyTableOut(sql, table),
          inBlocks(),
          createGzip({ level: 1 }),
          hash.passThrough,
          file,
        )
        tables.push({ ...table, sha256: hash.digest() })
      }
      return {
        format: 1 as const,
        schema: await schemaVersion(sql),
        probes: await readProbes(sql),
        media: config.media.s3 === null,
        tables,
        days: [...(await listDailyPartitions(sql))],
        sequences: await listSequences(sql),
      }
    },
  )
  // Files are copied after the database, so that every file the snapshot refers to already existed.
  const media = join(config.dataDir, MEDIA)
  if (manifest.media && existsSync(media)) await copyMedia(media, join(folder, MEDIA))
  const draft = join(folder, `${MANIFEST}.part`)
  await writeFile(draft, JSON.stringify(manifest, null, 2), { mode: 0o600 })
  await rename(draft, join(folder, MANIFEST))
  return { folder, tables: manifest.tables.length, media: manifest.media }
}

/**
 * Restores a backup into an empty database and `DATA_DIR`, and migrates the schema to the current version. A failed
 * restore leaves the database empty and can be repeated. Throws StartFault when the backup is incomplete or damaged,
 * the configured master key is not the one of the backup, or the database is in use.
 */
export async function restore(
  config: Config,
  database: Database,
  folder: string,
): Promise<{ tables: number; schema: number; media: boolean }> {
  const manifest = await readManifest(folder)
  if (manifest.schema > newestMigration()) throw new StartFault(say.ops.backupNewer)
  const probes = manifest.probes.map((probe) => Buffer.from(probe, 'base64'))
  if (probes.length > 0 && !opensProbes(config, probes)) throw new StartFault(say.ops.backupKey)
  for (const { name, sha256 } of manifest.tables) {
    if ((await hashOf(createReadStream(fileOf(folder, name)))) !== sha256)
      throw new StartFault(say.ops.backupDamaged(fileOf(folder, name)))
  }
  if (await database.session(isInUse)) throw new StartFault(say.ops.databaseInUse)
  await migrate(database, { to: manifest.schema })
  await createDailyPartitions(database.patient, manifest.days)
  // Files come first: files without a row are harmless, and a restore counts as complete once the database is restored.
  if (manifest.media && existsSync(join(folder, MEDIA)))
    await copyMedia(join(folder, MEDIA), join(config.dataDir, MEDIA))
  await inTransaction(database, 'writes', async (sql) => {
    const names = manifest.tables.map(({ name }) => name)
    await prepareTables(sql, names)
    for (const table of manifest.tables) {
      const file = createReadStream(fileOf(folder, table.name))
      await pipeline(file, createGunzip(), await copyTableIn(sql, table))
    }
    for (const sequence of manifest.sequences) await setSequence(sql, sequence)
    await enableTriggers(sql, names)
  })
  await migrate(database)
  return { tables: manifest.tables.length, schema: manifest.schema, media: manifest.media }
}

async function readManifest(folder: string): Promise<Manifest> {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'))
  } catch (error) {
    throw new StartFault(say.ops.noBackup(folder), error)
  }
  if (!Value.Check(Manifest, parsed)) throw new StartFault(say.ops.noBackup(folder))
  return parsed
}

const fileOf = (folder: string, table: string) => join(folder, TABLES, `${table}.copy.gz`)

/** Copies the files of a folder, which may be a symlink. Files that expire during the copy are skipped. */
async function copyMedia(from: string, to: string): Promise<void> {
  const source = await realpath(from)
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const place = relative(source, join(entry.parentPath, entry.name))
    if (!entry.isFile() || place.split(sep)[0] === STAGING) continue
    await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 })
    await copyFile(join(source, place), join(to, place)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  }
}

/** Joins rows into blocks: compressing each row alone takes thirty times as long. */
function inBlocks(): Transform {
  let rows: Buffer[] = []
  let bytes = 0
  return new Transform({
    transform(row: Buffer, _encoding, done) {
      rows.push(row)
      bytes += row.length
      if (bytes < BLOCK_BYTES) return done()
      const block = Buffer.concat(rows)
      rows = []
      bytes = 0
      done(null, block)
    },
    flush(done) {
      done(null, Buffer.concat(rows))
    },
  })
}

/** A pass-through stream that computes the SHA-256 of its data. */
function hashing() {
  const hash = createHash('sha256')
  const passThrough = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { passThrough: passThrough, digest: () => hash.digest('hex') }
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
