import { password } from '@clack/prompts'
import { Command, CommanderError, Help } from 'commander'
import { RecadoError } from '../../sdk/src/index.ts'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { completionScript } from './completion.ts'
import { doctor } from './doctor.ts'
import { runFixtures } from './fixtures.ts'
import { listen, parseEvent, type ListenOptions } from './listen.ts'
import { serveMcp } from './mcp.ts'
import { CommandError, EXIT, explain, note, print } from './output.ts'
import { pairInTerminal } from './pair-in-terminal.ts'
import { say } from './phrases.ts'
import { readProfiles, writeProfile } from './profiles.ts'
import {
  chooseUnpaired,
  instanceToSendFrom,
  openSession,
  requireTest,
  type Globals,
  type Session,
} from './session.ts'
import { showInBrowser } from './show-in-browser.ts'
import { signal, stopOnSignals } from './stopping.ts'
import { waitForOutcome } from './wait-for-outcome.ts'
import { tailDeliveries, tailRequests, type TailOptions } from './tail.ts'
import { EVENTS, pairVirtually, trigger } from './trigger.ts'

const MODE_PREFIX_LENGTH = 'svc_test_'.length

/** The version of this package. */
function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** A part of commander's help with its placeholders in Portuguese. */
const inPortuguese =
  (part: 'commandUsage' | 'subcommandTerm') =>
  (command: Command): string => {
    const { options, command: subcommand } = say.placeholders
    const help = new Help()[part](command)
    return help.replace('[options]', `[${options}]`).replace('[command]', `[${subcommand}]`)
  }

const program = new Command('recado')
  .description(say.about)
  .option('--profile <nome>', say.options.profile, 'default')
  .option('--key <chave>', say.options.key)
  .option('--url <endereço>', say.options.url)
  .option('--json', say.options.json, false)
  .addHelpText('after', say.codes)
  .helpOption('-h, --help', say.options.help)
  .version(readVersion(), '-V, --version', say.options.version)
  .helpCommand(false)
  .configureHelp({
    styleTitle: (title) => say.titles[title] ?? title,
    commandUsage: inPortuguese('commandUsage'),
    subcommandTerm: inPortuguese('subcommandTerm'),
    optionDescription: ({ description, defaultValue }) =>
      typeof defaultValue === 'string'
        ? `${description} (${say.byDefault(defaultValue)})`
        : description,
  })
  .configureOutput({ outputError: () => {} })
  .exitOverride()

/** Adds a command that needs a key; its failures become a sentence and an exit code. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the options that the command declares
function add<Options extends object>(
  parent: Command,
  usage: string,
  description: string,
  run: (session: Session, options: Options, ...args: string[]) => Promise<unknown>,
): Command {
  return parent
    .command(usage)
    .description(description)
    .action(async (...given: unknown[]) => {
      const [options, ...args] = given.slice(0, -1).toReversed() as [Options, ...string[]]
      const session = openSession(readGlobals())
      try {
        await run(session, options, ...args.toReversed())
      } catch (error) {
        // What was interrupted may have been done, which these say.
        const isLost = error instanceof RecadoError && error.idempotencyKey !== null
        if (isLost || error instanceof CommandError || !signal.aborted)
          throw explain(error, session.url)
      }
    })
}
/** The options of every command. A profile that is named wins over the environment. */
function readGlobals(): Globals {
  const isProfileGiven = program.getOptionValueSource('profile') === 'cli'
  return { ...program.opts<Globals>(), isProfileGiven }
}
const group = (name: string, description: string) =>
  program.command(name).description(description).helpCommand(false)

async function askKey(): Promise<string> {
  if (!process.stdin.isTTY) {
    const given = (await process.stdin.setEncoding('utf8').toArray()).join('').trim()
    if (given === '') throw new CommandError(say.emptyKey, EXIT.key)
    return given
  }
  const typed = await password({ message: say.askKey, output: process.stderr })
  if (typeof typed !== 'string') throw new CommandError('', EXIT.interrupted)
  return typed.trim()
}

/** Whether a saved key and a new one are of the same mode. */
const sharesMode = (saved: { apiKey: string }, apiKey: string): boolean =>
  saved.apiKey.slice(0, MODE_PREFIX_LENGTH) === apiKey.slice(0, MODE_PREFIX_LENGTH)

program
  .command('login')
  .description(say.commands.login)
  .action(async () => {
    const globals = readGlobals()
    const key = globals.key ?? process.env['RECADO_KEY'] ?? (await askKey())
    const session = openSession({ ...globals, key })
    const me = await session.recado.me({ signal }).catch((error: unknown) => {
      throw explain(error, session.url)
    })
    const { apiKey, url } = session
    const { project, mode } = me
    const { [globals.profile]: saved } = readProfiles()
    // A new key of the same Project keeps what `listen` has prepared there.
    const isSame = saved?.project === project.id && saved.url === url && sharesMode(saved, apiKey)
    writeProfile(globals.profile, { ...(isSame ? saved : {}), apiKey, url, project: project.id })
    const { profile } = globals
    const value = { profile, project: project.name, mode }
    print(globals.json, say.loggedIn(project.name, mode, profile), value)
  })

program
  .command('logout')
  .description(say.commands.logout)
  .action(() => {
    const { profile, json } = readGlobals()
    if (!readProfiles()[profile]) throw new CommandError(say.noProfile(profile), EXIT.key)
    writeProfile(profile, null)
    print(json, say.loggedOut(profile), { profile })
  })

add<ListenOptions>(program, 'listen', say.commands.listen, (session, options) =>
  listen(session, options, signal),
)
  .option('--forward-to <url>', say.options.forwardTo)
  .option('--events <nomes>', say.options.events)
  .option('--instance <id>', say.options.instance)
  .option('--secret <segredo>', say.options.secret)
  .option('--durable', say.options.durable)

add<{ instance?: string }>(
  program,
  'trigger <evento>',
  `${say.commands.trigger}: ${EVENTS.join(', ')}`,
  async (session, { instance }, event = '') => {
    const { id } = await trigger(session, parseEvent(event), instance)
    print(session.globals.json, say.triggered(event, id), { event, instanceId: id })
  },
).option('--instance <id>', say.options.instance)

add<{ instance?: string; idempotencyKey?: string; wait?: boolean }>(
  program,
  'send <para> <texto>',
  say.commands.send,
  async (session, { instance, idempotencyKey, wait = false }, to = '', text = '') => {
    const id = instance ?? (await instanceToSendFrom(session))
    const key = idempotencyKey ?? randomUUID()
    const options = { idempotencyKey: key, signal }
    const accepted = await session.recado.messages
      .sendText(id, { to, text }, options)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
        throw new CommandError(say.maybeMade(session.url, key), EXIT.server)
      })
    let message = accepted
    try {
      if (wait) message = await waitForOutcome(session, id, accepted, signal)
    } finally {
      print(session.globals.json, say.sent(message.id, message.status), message)
    }
    if (message.error) throw new CommandError(message.error.message, EXIT.failed)
  },
)
  .option('--instance <id>', say.options.instance)
  .option('--idempotency-key <chave>', say.options.idempotencyKey)
  .option('--wait', say.options.wait)

const tails = [
  [group('logs', say.commands.logs), tailDeliveries],
  [group('requests', say.commands.requests), tailRequests],
] as const
for (const [parent, tail] of tails)
  add<TailOptions>(parent, 'tail', say.commands.tail, (session, options) =>
    tail(session, options, signal),
  )
    .option('--failed', say.options.failed)
    .option('--once', say.options.once)

const instances = group('instances', say.commands.instances)
add(instances, 'list', say.commands.list, async ({ recado, globals }) => {
  for await (const one of recado.instances.list())
    print(globals.json, [one.id, one.status.padEnd(12), one.phone ?? '', one.name].join('  '), one)
})
add<{ name?: string }>(instances, 'create', say.commands.create, async (session, { name }) => {
  const made = await session.recado.instances.create({ name: name ?? 'recado' })
  print(session.globals.json, made.id, made)
}).option('--name <nome>', say.options.name)
add<{ virtual?: boolean }>(
  instances,
  'pair [id]',
  say.commands.pair,
  async (session, { virtual = false }, id) => {
    if (virtual) requireTest(session)
    const instance = await chooseUnpaired(session, id)
    if (!virtual) return pairInTerminal(session, instance, signal)
    const { status } = await pairVirtually(session, instance.id)
    print(session.globals.json, say.paired(instance.id), { id: instance.id, status })
    return undefined
  },
).option('--virtual', say.options.virtual)

const phones = group('phones', say.commands.phones)
add(phones, 'list', say.commands.list, async (session) => {
  requireTest(session)
  for await (const one of session.recado.simulator.phones.list()) {
    const { id, phone, name, pairedInstanceIds } = one
    print(session.globals.json, [id, phone, name, ...pairedInstanceIds].join('  '), one)
  }
})
add<{ name?: string; business?: boolean }>(
  phones,
  'create',
  say.commands.create,
  async (session, { name = 'Ana', business = false }) => {
    requireTest(session)
    const made = await session.recado.simulator.phones.create({ name, business })
    print(session.globals.json, `${made.id}  ${made.phone}`, made)
  },
)
  .option('--name <nome>', say.options.name)
  .option('--business', say.options.business)

add<{ run?: string }>(
  group('fixtures', say.commands.fixtures),
  'run <arquivo>',
  say.commands.run,
  (session, { run }, file = '') => runFixtures(session, file, run),
).option('--run <id>', say.options.run)

add(
  program,
  'open [página]',
  say.commands.open,
  async ({ url, isTest, globals }, _options, page = 'inicio') => {
    const origin = new URL(url)
    origin.hostname = origin.hostname.replace(/^(sandbox|api)\./, '')
    const address = new URL(`/${isTest ? 'teste' : 'producao'}/${page.replace(/^\/+/, '')}`, origin)
      .href
    print(globals.json, address, { url: address })
    if (!globals.json && !(await showInBrowser(address))) note(say.noBrowser)
  },
)

add(program, 'doctor', say.commands.doctor, doctor)
add(program, 'mcp', say.commands.mcp, (session) => serveMcp(session, signal))

program
  .command('completion <shell>')
  .description(say.commands.completion)
  .action((shell: string) => void process.stdout.write(completionScript(program, shell)))

stopOnSignals()

// What reads the output may end first, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandError) {
    if (error.message) note(error.message)
    process.exitCode = signal.aborted ? EXIT.interrupted : error.exitCode
  } else if (error instanceof CommanderError) {
    if (error.exitCode !== 0) note(say.usage(error.code, error.message.replace(/^error: /, '')))
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
  } else if (signal.aborted) {
    process.exitCode = EXIT.interrupted
  } else {
    note(say.unexpected(error instanceof Error ? error.message : String(error)))
    process.exitCode = EXIT.failed
  }
}
