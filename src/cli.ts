import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createOperator } from './operations/operator.ts'
import { parseConfig, type Config } from './kernel/config/config.ts'
import { readEnv } from './kernel/config/env.ts'
import { openSeal, rekey } from './platform/db/master-key.ts'
import { migrate, planMigrations } from './platform/db/migrate.ts'
import { lockDataDir } from './platform/db/embedded/data-dir.ts'
import { openStorage } from './platform/db/storage.ts'
import { backUp, restore } from './platform/db/backup.ts'
import { commands, text, type Options } from './operations/ops/commands.ts'
import { examine } from './operations/doctor/examine.ts'
import { renderChecks } from './operations/doctor/render-checks.ts'
import { openEgress } from './platform/egress/open-egress.ts'
import { Failure, StartFault } from './kernel/phrases/fail.ts'
import { say } from './kernel/phrases/phrases.ts'

/** The commands for the whole installation, with their options. */
const PLAIN = {
  migrate: ['plan'],
  doctor: ['webhook'],
  backup: ['to'],
  restore: ['from'],
  rekey: [],
  openapi: [],
} as const
type Plain = keyof typeof PLAIN
const isPlain = (name: string): name is Plain => Object.hasOwn(PLAIN, name)
/** Generated from the routes; a test keeps it up to date. */
const OPENAPI = new URL('../openapi.json', import.meta.url)
const DOCTOR_SOCKETS = 8
const FLAGS = new Set(['confirmed', 'off', 'json', 'plan'])

/** Prints an object as JSON: on one line, or indented for humans. */
function print(result: object, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`)
}

function line(name: string, options: readonly string[], help: keyof typeof say.ops.help): string {
  const shown = options.map((option) => (FLAGS.has(option) ? `[--${option}]` : `--${option} …`))
  return `  ${[name, ...shown].join(' ')}\n      ${say.ops.help[help]}`
}

function usage(): string {
  const lines = [
    ...Object.entries(commands).map(([name, { options, help }]) => line(name, options, help)),
    ...Object.keys(PLAIN)
      .filter(isPlain)
      .map((name) => line(name, PLAIN[name], name)),
  ]
  return `${say.ops.usage}\n\n${lines.join('\n')}\n`
}

function readOptions(args: string[], names: readonly string[]): Options {
  const types = [...names, 'json'].map((name) => [
    name,
    { type: FLAGS.has(name) ? ('boolean' as const) : ('string' as const) },
  ])
  try {
    return parseArgs({ args, options: Object.fromEntries(types), strict: true }).values as Options
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('. ')[0] ?? '') : ''
    throw new StartFault(say.ops.badArguments(why), error)
  }
}

/** The commands that may be the first of an installation. */
const FOUNDING = new Set(['account create', 'migrate', 'restore'])

/** Whether a server is using this data directory now; it may be creating its database. */
function isServing(dataDir: string): boolean {
  if (!existsSync(join(dataDir, 'server.lock'))) return false
  const lock = lockDataDir(dataDir, 'server')
  lock?.[Symbol.dispose]()
  return lock === null
}

/** The failure of a command that would examine or save an empty database of its own. */
const noInstallation = ({ databaseUrl, dataDir }: Config) =>
  new StartFault(say.ops.noInstallation(databaseUrl === null ? dataDir : 'DATABASE_URL'))

async function run(args: string[]): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith('--'))
  const two = args.slice(0, 2).join(' ')
  const [one = ''] = args
  if (words.length === 0) {
    process.stdout.write(usage())
    return
  }
  const config = parseConfig(readEnv())
  const name = Object.hasOwn(commands, two) ? two : one
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command && !isPlain(one))
    throw new StartFault(`${say.ops.unknownCommand(two)}\n\n${usage()}`)
  const options = readOptions(
    args.slice(name.split(' ').length),
    command?.options ?? (isPlain(one) ? PLAIN[one] : []),
  )
  const asJson = options['json'] === true
  if (one === 'openapi') {
    print(JSON.parse(readFileSync(OPENAPI, 'utf8')) as object, asJson)
    return
  }
  const { databaseUrl, dataDir } = config
  const mayBeFirst = FOUNDING.has(name) || isServing(dataDir)
  if (!mayBeFirst && databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'cluster')))
    throw noInstallation(config)
  await using storage = await openStorage(config, 'operator')
  if (!mayBeFirst && (await planMigrations(storage.database)).database === 0)
    throw noInstallation(config)
  if (one === 'restore') {
    print(await restore(config, storage.database, resolve(text(options, 'from'))), asJson)
    return
  }
  if (options['plan'] === true) {
    print(await planMigrations(storage.database), asJson)
    return
  }
  const applied = await migrate(storage.database)
  if (one === 'migrate') print({ applied }, asJson)
  else if (one === 'backup') {
    print(await backUp(config, storage.database, resolve(text(options, 'to'))), asJson)
  } else if (one === 'rekey') {
    const { audit } = createOperator(config, storage.database)
    const resealed = await rekey(storage.database, await openSeal(storage.database, config))
    const entry = { actor: 'operator', action: 'master_key.rekey', object: 'installation' }
    await audit.record(storage.database, { ...entry, before: null, after: { resealed } })
    print({ resealed }, asJson)
  } else if (one === 'doctor') {
    const { billing, clock } = createOperator(config, storage.database)
    const { egress } = openEgress(config, clock, DOCTOR_SOCKETS)
    const webhook = typeof options['webhook'] === 'string' ? options['webhook'] : null
    const checks = await examine(config, { db: storage.database, clock, billing, egress }, webhook)
    await egress.close()
    const ok = checks.every((check) => check.ok)
    if (asJson) print({ ok, checks }, asJson)
    else process.stdout.write(renderChecks(checks))
    if (!ok) process.exitCode = 1
  } else if (command) {
    const operator = createOperator(config, storage.database)
    const { database } = storage
    print(await command.run({ ...operator, config, database }, options), asJson)
  }
}

// `… | head` closes stdout early, which is not an error.
process.stdout.on('error', () => process.exit())
try {
  await run(process.argv.slice(2))
} catch (error) {
  const known = error instanceof StartFault || error instanceof Failure
  const printed = known ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`${printed}\n`)
  process.exitCode = 1
}
