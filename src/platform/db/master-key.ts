import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../kernel/config/config.ts'
import { createSeal, type Seal } from '../../kernel/seal.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  deleteOtherProbes,
  findProbes,
  findSamples,
  insertProbe,
  lockProbes,
  lockSealed,
  SEALED_KINDS,
  type SealedKind,
  type SealedOwner,
  writeSealed,
} from './sealed.sql.ts'
import type { Db } from './sql.ts'
import { installationSecret } from './storage.ts'

const FILE = 'master.key'
const PROBE = 'probe'
const PROBE_TEXT = Buffer.from('recado')
const BATCH_SIZE = 500

/**
 * Creates the seal of this installation and verifies that it opens the values in the database. A key is generated only
 * if nothing is sealed yet. Throws StartFault when the key is missing or belongs to another installation.
 */
export async function openSeal(
  db: Db,
  config: Pick<Config, 'masterKey' | 'dataDir'>,
): Promise<Seal> {
  return db.transaction(async (tx) => {
    // Of two nodes that start with different keys, the second sees the probe of the first, and stores none.
    await lockProbes(tx)
    const samples = await readSamples(tx)
    const lost = !config.masterKey && !existsSync(join(config.dataDir, FILE))
    if (lost && samples.length > 0)
      throw new StartFault(say.start.masterKeyLost(join(config.dataDir, FILE)))
    const seal = createSeal(masterKeysOf(config))
    if (!samples.every((sample) => canOpen(seal, sample)))
      throw new StartFault(say.start.masterKeyWrong)
    await insertProbe(tx, seal.header, seal.close(PROBE_TEXT, PROBE))
    return seal
  })
}

/** Whether the configured key opens the values in this database. Never generates a key. */
export async function opensStoredValues(
  db: Db,
  config: Pick<Config, 'masterKey' | 'dataDir'>,
): Promise<boolean> {
  const samples = await readSamples(db)
  if (samples.length === 0) return true
  if (!config.masterKey && !existsSync(join(config.dataDir, FILE))) return false
  const seal = createSeal(masterKeysOf(config))
  return samples.every((sample) => canOpen(seal, sample))
}

/** Whether the configured keys open the probes of a backup. Never generates a key. */
export function opensProbes(
  { masterKey, dataDir }: Pick<Config, 'masterKey' | 'dataDir'>,
  probes: Buffer[],
): boolean {
  if (!masterKey && !existsSync(join(dataDir, FILE))) return false
  const seal = createSeal(masterKeysOf({ masterKey, dataDir }))
  return probes.every((sealed) => canOpen(seal, { sealed, context: PROBE }))
}

/**
 * Reseals every stored value with the first key, in batches, and returns the number of values changed. Servers may keep
 * running.
 */
export async function rekey(db: Db, seal: Seal): Promise<number> {
  let count = 0
  for (const place of SEALED_KINDS) count += await resealKind(db, seal, place, null)
  // Last, so that the new key alone is accepted only once all values are sealed with it.
  return count + (await deleteOtherProbes(db, seal.header))
}

/** Reseals the values of one Project; `instanceIds` are its instances. Returns the number of values changed. */
export async function resealProject(
  db: Db,
  seal: Seal,
  projectId: string,
  instanceIds: string[],
): Promise<number> {
  let count = 0
  for (const place of SEALED_KINDS) {
    const owners =
      place === 'credential' ? instanceIds.map((instanceId) => ({ instanceId })) : [{ projectId }]
    for (const owner of owners) count += await resealKind(db, seal, place, owner)
  }
  return count
}

async function resealKind(
  db: Db,
  seal: Seal,
  place: SealedKind,
  owner: SealedOwner | null,
): Promise<number> {
  let count = 0
  for (;;) {
    const done = await db.transaction(async (tx) => {
      const rows = await lockSealed(tx, place, seal.header, BATCH_SIZE, owner)
      for (const { sealed, context, key } of rows) {
        await writeSealed(tx, place, key, seal.close(seal.open(sealed, context), context))
      }
      return rows.length
    })
    count += done
    // A short batch does not mean the end: a row may have changed while this transaction waited for its lock.
    if (done === 0) return count
  }
}

/** The master keys of an installation, generated on first use if none is configured; the first one seals. */
export function masterKeysOf({
  masterKey,
  dataDir,
}: Pick<Config, 'masterKey' | 'dataDir'>): [string, ...string[]] {
  return parseKeys(masterKey ?? installationSecret(dataDir, FILE, 32))
}

/** Parses `MASTER_KEY` into its keys; the first one seals. */
export function parseKeys(text: string): [string, ...string[]] {
  const [first = '', ...others] = text.split(',').map((key) => key.trim())
  return [first, ...others.filter((key) => key !== '')]
}

/** The probe of each key, and a value of each kind: a database may be a copy whose probes were replaced. */
async function readSamples(db: Db) {
  const probes = await findProbes(db)
  return [...probes.map((sealed) => ({ sealed, context: PROBE })), ...(await findSamples(db))]
}

function canOpen(seal: Seal, { sealed, context }: { sealed: Buffer; context: string }): boolean {
  try {
    seal.open(sealed, context)
    return true
  } catch {
    return false
  }
}
