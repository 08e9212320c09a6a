// The walls of the house (ARCHITECTURE.md), as a table. A planted break must fail here.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

/** From left to right: a room imports only rooms to its left, through their service or schemas. */
const ORDER = [
  ['lib'],
  ['phrases', 'config'],
  ['db'],
  ['bus', 'http'],
  ['records'],
  ['audit', 'nodes', 'idempotency', 'mail'],
  ['networks'],
  ['events'],
  ['projects'],
  ['accounts'],
  ['sessions'],
  ['members'],
  ['billing'],
  ['payments'],
  ['keys'],
  ['requests'],
  ['webhooks'],
  ['inboxes'],
  ['instances'],
  ['media'],
  ['contacts'],
  ['conversations'],
  ['groups', 'labels', 'calls'],
  ['messages'],
  ['campaigns'],
  ['phones'],
  ['inbound'],
  ['deliveries'],
  ['streams'],
  ['alerts', 'privacy', 'vitals'],
  ['ops'],
]
/** Folders that hold no room: any of their files may be imported from the right. */
const FOUNDATION = new Set(['lib', 'phrases', 'config', 'db', 'bus', 'http', 'records', 'networks'])
/** What a room shows to the rooms on its right. */
const DOORS = /\.(service|schemas|worker|port)\.ts$|catalog\/index\.ts$/
/** Modules that a neighbour may use beside the doors, each with its reason. */
const SIDE_DOORS: Record<string, string> = {
  'messages/record-received.ts': 'the inbound switch hands received messages to it',
  'messages/inbound-changes.ts': 'the inbound switch hands edits and revocations to it',
  'messages/record-receipts.ts': 'the inbound switch hands receipts to it',
  'messages/accept-sends.ts': 'a campaign hands its messages to it',
  'messages/render-message.ts': 'virtual phones show their messages in the one record',
  'media/media-problem.ts': 'what is wrong with a file is the answer of whoever was sent it',
  'media/media.routes.ts': 'the multipart body of the reference is described once',
  'media/media.sql.ts': 'a row of a file, as a message shows it',
  'media/stage-file.ts': 'an upload is on disk before its room is known',
}
/** Which packages may be imported where. */
const PACKAGES: [RegExp, RegExp][] = [
  [/^postgres$|^postgrator$/, /^db\//],
  [/^ws$|^@fastify\/websocket$/, /^streams\//],
  [
    /^fastify$|^@fastify\//,
    /^http\/|\.routes\.ts$|\.panel\.ts$|qr-stream\.ts$|session-cookies\.ts$|^add-routes\.ts$/,
  ],
  [/^@nats-io\//, /^bus\/nats\.ts$/],
  [/^undici$/, /^lib\/(safe-fetch|egress-connect|egress-door)\.ts$/],
  [/^baileys/, /^networks\/whatsapp\//],
  [/^bowser$/, /^sessions\/sign-in-from\.ts$/],
  [/^csv-stringify/, /^audit\/to-csv\.ts$/],
  [/^csv-parse$/, /^campaigns\/read-csv\.ts$/],
  [/^@date-fns\/tz$/, /^(lib\/day|campaigns\/sending-window)\.ts$/],
  [/^entities$/, /^networks\/whatsapp\/previews\.ts$/],
  [/^libphonenumber-js/, /^lib\/national-number\.ts$/],
  [/^@zxcvbn-ts\//, /^accounts\/common-passwords\.ts$/],
  [/^otpauth$/, /^accounts\/second-factor\.service\.ts$/],
  [/^stripe$/, /^payments\/stripe\.ts$/],
  [/^socks$/, /^lib\/proxy-tunnel\.ts$/],
  [/^nodemailer$/, /^mail\//],
  [/^sharp$|^file-type$|^music-metadata$/, /^media\//],
  [/^@aws-sdk\//, /^media\/s3-store\.ts$/],
  [/^prom-client$/, /^http\/metrics\.ts$/],
]
/** Things that stand in one place only. */
const ONCE: [RegExp, string[]][] = [
  [/process\.env/, ['config/env.ts']],
  [/Date\.now\(/, ['lib/clock.ts']],
  [/new Date\(\)/, []],
  [/Math\.random\(/, ['lib/ids.ts']],
  [/(?<![.\w])(setTimeout|setInterval)\(/, ['lib/clock.ts', 'main.ts']],
  [/\bfetch\(/, []],
  [/\bconsole\./, []],
]
/** Statements that serve no Project of a caller's: look-ups before one is known, workers, operators, clean-up. */
const UNSCOPED_FILES = new Set([
  ...[
    'accounts/accounts.sql.ts',
    'members/members.sql.ts',
    'accounts/second-factor.sql.ts',
    'accounts/change-email.sql.ts',
    'sessions/sessions.sql.ts',
    'projects/projects.sql.ts',
    'payments/payments.sql.ts',
    'alerts/alerts.sql.ts',
    'db/ping.sql.ts',
    'privacy/export.sql.ts',
    'privacy/erase.sql.ts',
  ],
  ...['nodes/nodes.sql.ts', 'audit/audit.sql.ts', 'ops/ops.sql.ts', 'events/events.sql.ts'],
  ...[
    'db/backup.sql.ts',
    'db/partitions.sql.ts',
    'instances/credentials.sql.ts',
    'messages/outbound.sql.ts',
  ],
  ...['messages/receive.sql.ts', 'messages/accept.sql.ts', 'inbound/inbound.sql.ts'],
  ...['messages/inbound-changes.sql.ts', 'db/sealed.sql.ts'],
])
const UNSCOPED = new Set([
  ...[
    'findKeyByHash',
    'checkKey',
    'findRefused',
    'touchKeys',
    'insertApiRequests',
    'keepEvents',
    'sweepHours',
    'eventsNeeded',
    'readCredits',
    'listIncoming',
    'addCredits',
    'refundCredits',
    'findDrift',
    'isBooked',
  ],
  ...[
    'countTestMessages',
    'findTargets',
    'sweepKeys',
    'keepRequest',
    'findInboxOwner',
    'sweepRequests',
    'findQrToken',
  ],
  ...['sweepQrTokens', 'changeStatus', 'wasPaired', 'storeCode', 'claimInstances', 'reviewOpen'],
  ...['findShares', 'lockOwned', 'findOldHeads', 'findDueSince', 'readVitals'],
  ...['disownInstances', 'finishAttempts', 'findNextVisible', 'listDueWebhooks', 'claimDeliveries'],
  ...[
    'releaseDeliveries',
    'purgeStale',
    'renewLeases',
    'lockBalances',
    'findForgotten',
    'storeRestriction',
    'findLifted',
    'messageColumns',
    'instanceColumns',
  ],
  // What networks tell, written for the instance that heard it; and what its API asked for, once that was found in scope.
  ...['putCall', 'lockContacts', 'writeContacts', 'findChecked', 'saveChecked'],
  ...[
    'ensureConversation',
    'nameConversations',
    'hasConversation',
    'mergeConversations',
    'lockGroup',
    'upsertGroup',
  ],
  ...[
    'replaceParticipants',
    'putParticipants',
    'dropParticipants',
    'keyOf',
    'lockLabel',
    'putLabel',
  ],
  ...['dropLabel', 'associate', 'editMessage', 'cancelQueued', 'markDeleted', 'saveVotes'],
  // What the worker of campaigns does, with the one that it has taken; and what messages tell of theirs.
  ...[
    'campaignColumns',
    'updateCampaign',
    'findDue',
    'findUnderWay',
    'findBySender',
    'takeCampaign',
  ],
  ...['findPaces', 'savePaces', 'countSent', 'markQueued', 'markSkipped', 'skipPending'],
  ...[
    'moveRecipients',
    'findAnswered',
    'saveWishes',
    'nextRecipients',
    'findListed',
    'countAdded',
    'postponeCampaign',
    'findFiles',
  ],
  // Commands between nodes, and files that workers fetch and sweep.
  ...['insertCommand', 'takeCommands', 'answerCommand', 'readAnswer', 'sweepCommands'],
  ...['claimDueMedia', 'postponeMedia', 'findExpired', 'markExpired'],
])

/** Where things are constructed. */
const ROOTS = new Set(['app.ts', 'company.ts'])

/** What is a list may go past 300 lines. */
const LISTS = new Set(['phrases/pt-br.ts'])

type File = { path: string; room: string; text: string; imports: string[] }

function walk(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(dir, entry.name)) : [join(dir, entry.name)],
  )
}
const files: File[] = walk(SRC)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    const path = relative(SRC, file)
    const imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
      (match) => match[1] ?? '',
    )
    return { path, room: path.includes('/') ? (path.split('/')[0] ?? '') : '', text, imports }
  })
const code = files.filter(
  ({ path }) => !path.endsWith('.test.ts') && path !== 'networks/conformance.ts',
)
const rank = (room: string) => ORDER.findIndex((group) => group.includes(room))
const targetOf = (file: File, specifier: string) =>
  relative(SRC, join(SRC, dirname(file.path), specifier))

describe('the house', () => {
  it('was walked whole', () => {
    assert.ok(code.length > 100, `${code.length} files`)
    const rooms = new Set(code.map(({ room }) => room).filter((room) => room !== ''))
    assert.deepEqual(
      [...rooms].filter((room) => rank(room) === -1),
      [],
      'a folder that the order does not name',
    )
  })

  it('imports only to the left, and through doors', () => {
    const breaks = code.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        if (!specifier.startsWith('.') || file.room === '') return []
        const target = targetOf(file, specifier)
        const room = target.split('/')[0] ?? ''
        if (room === file.room) return []
        if (!target.includes('/')) return [`${file.path} imports ${target}`]
        if (rank(room) > rank(file.room)) return [`${file.path} imports ${target}, to its right`]
        // Rooms of one group do not know one another, but for the foundation's own.
        if (rank(room) === rank(file.room) && !FOUNDATION.has(room)) {
          return [`${file.path} imports its neighbour ${target}`]
        }
        const open = FOUNDATION.has(room) || DOORS.test(target) || target in SIDE_DOORS
        return open ? [] : [`${file.path} imports ${target}, which is no door`]
      }),
    )
    assert.deepEqual(breaks, [])
  })

  it('lets nobody but the composition roots import an adapter', () => {
    const adapters =
      /^networks\/(simulator|whatsapp)\/|^bus\/(nats|postgres)\.ts$|^mail\/(smtp|mail-files)\.ts$|^payments\/(stripe|manual)\.ts$/
    const breaks = code.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier))
        .filter((target) => adapters.test(target) && dirname(target) !== dirname(file.path))
        .filter(() => !ROOTS.has(file.path))
        .map((target) => `${file.path} imports ${target}`),
    )
    assert.deepEqual(breaks, [])
  })

  it('keeps each package in its place', () => {
    const breaks = code.flatMap((file) =>
      file.imports.flatMap((specifier) =>
        PACKAGES.filter(([name, place]) => name.test(specifier) && !place.test(file.path)).map(
          () => `${file.path} imports ${specifier}`,
        ),
      ),
    )
    assert.deepEqual(breaks, [])
  })

  it('does each of these things once', () => {
    const breaks = code.flatMap((file) =>
      ONCE.filter(([what, places]) => what.test(file.text) && !places.includes(file.path)).map(
        ([what]) => `${file.path} uses ${what}`,
      ),
    )
    assert.deepEqual(breaks, [])
  })

  it('writes SQL only in *.sql.ts', () => {
    const breaks = code
      .filter(({ path }) => !path.endsWith('.sql.ts') && !path.startsWith('db/'))
      .filter(({ path }) => path !== 'bus/postgres.ts' && path !== 'http/health.ts')
      .filter(({ text }) => /\bsql`/.test(text))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('gives every statement its scope and the guard of the key', () => {
    const breaks = code
      .filter(({ path }) => path.endsWith('.sql.ts') && !path.startsWith('networks/simulator/'))
      .filter(({ path }) => !UNSCOPED_FILES.has(path))
      .flatMap(({ path, text }) =>
        text
          .split(/(?=^export (?:async )?function )/m)
          .slice(1)
          .map((body) => ({ path, name: /function (\w+)/.exec(body)?.[1] ?? '', body })),
      )
      .filter(({ name }) => !UNSCOPED.has(name))
      .filter(({ body }) => !/scope: (Pick<)?Scope/.test(body))
      .map(({ path, name }) => `${path} ${name}`)
    assert.deepEqual(breaks, [])
  })

  it('speaks Portuguese only in phrases, schemas of the reference, routes and events', () => {
    const spoken =
      /^phrases\/|\.routes\.ts$|\.schemas\.ts$|^events\/|^records\/(kinds\/|media-fields)|^http\/openapi\.ts$/
    const breaks = code
      .filter(({ path }) => !spoken.test(path))
      .filter(({ text }) => /[ãõçáéíóúâêô]/i.test(text.replace(/São Paulo|Pão/g, '')))
      .map(({ path }) => path)
    assert.deepEqual(breaks, [])
  })

  it('has no file past 300 lines, no default export and no barrel', () => {
    const long = code.filter(({ path, text }) => text.split('\n').length > 301 && !LISTS.has(path))
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    )
    const exports = code.filter(({ text }) => /export default|export \* from/.test(text))
    assert.deepEqual(
      exports.map(({ path }) => path),
      [],
    )
  })
})
