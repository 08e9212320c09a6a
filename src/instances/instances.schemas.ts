import { Type, type Static, type TProperties } from 'typebox'
import { NOT_BLANK } from '../kernel/not-blank.ts'
import { Nullable, Page, Timestamp, Words } from '../kernel/schemas.ts'
import { HistorySync } from '../model/history.schemas.ts'
import { InstanceNetwork } from '../model/instance-network.schemas.ts'
import { Pace } from '../model/pace.schemas.ts'
import { InstanceStatus } from '../model/records.schemas.ts'
import { DISCONNECT_REASONS } from '../model/vocabulary.ts'
import { DEFAULT_SETTINGS } from './stored-settings.ts'

const MAX_SEND_DELAY_MS = 600_000
const settingFields = {
  rejectCalls: Type.Boolean(),
  readMessages: Type.Boolean(),
  ignoreGroups: Type.Boolean(),
  downloadMedia: Type.Boolean(),
  publishing: Type.Boolean({
    description: 'Permite publicar no status e em canais (não na API oficial)',
  }),
  sendDelayMinMs: Type.Integer({ minimum: 0, maximum: MAX_SEND_DELAY_MS }),
  sendDelayMaxMs: Type.Integer({ minimum: 0, maximum: MAX_SEND_DELAY_MS }),
  historySync: HistorySync,
  pace: Pace,
}
const { proxyUrlSealed: _, ...defaults } = DEFAULT_SETTINGS
const exampleSettings = { ...defaults, proxyUrl: null }

/** Settings of an instance; the delays between sends are in milliseconds. */
export const InstanceSettings = Type.Object({
  ...settingFields,
  proxyUrl: Nullable(Type.String({ description: 'A senha aparece mascarada' })),
})
/** Settings of an instance as the API returns them. */
export type InstanceSettings = Static<typeof InstanceSettings>

/** An instance; `queue.pending` counts its unsent messages (G22). */
export const Instance = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    externalId: Nullable(Type.String()),
    network: Type.Optional(InstanceNetwork),
    status: InstanceStatus,
    phone: Nullable(Type.String()),
    profileName: Nullable(Type.String()),
    disconnect: Nullable(
      Type.Object({
        reason: Words(DISCONNECT_REASONS),
        message: Type.String(),
        at: Timestamp,
        willReconnect: Type.Boolean(),
      }),
    ),
    restriction: Nullable(Type.Object({ type: Type.String(), until: Nullable(Timestamp) })),
    settings: InstanceSettings,
    queue: Type.Object({ pending: Type.Integer() }),
    pairedAt: Nullable(Timestamp),
    connectedAt: Nullable(Timestamp),
    disconnectedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Instance',
    examples: [
      {
        id: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
        name: 'Suporte',
        externalId: null,
        status: 'CREATED',
        phone: null,
        profileName: null,
        disconnect: null,
        restriction: null,
        settings: exampleSettings,
        queue: { pending: 0 },
        pairedAt: null,
        connectedAt: null,
        disconnectedAt: null,
        createdAt: '2026-11-20T12:00:00.000Z',
        updatedAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
/** An instance as the API returns it. */
export type Instance = Static<typeof Instance>
/** A page of instances, newest first. */
export const InstanceList = Page(Instance, 'InstanceList')

const SettingsPatch = Type.Partial(
  Type.Object({
    ...settingFields,
    proxyUrl: Type.String({ maxLength: 500, description: 'Vazio retira o proxy' }),
  }),
  { additionalProperties: false, title: 'SettingsPatch' },
)
/** Settings to change; absent fields stay as they are. */
export type SettingsPatch = Static<typeof SettingsPatch>

/** Body of the request that creates an instance. */
export const CreateInstanceBody = Type.Object(
  {
    name: Type.String({ ...NOT_BLANK, maxLength: 200, examples: ['Suporte'] }),
    externalId: Type.Optional(Type.String({ maxLength: 200 })),
    network: Type.Optional(InstanceNetwork),
    settings: Type.Optional(SettingsPatch),
  },
  { additionalProperties: false },
)
/** A validated `CreateInstanceBody`. */
export type CreateInstanceBody = Static<typeof CreateInstanceBody>

/** Body of the request that changes the name or settings of an instance. */
export const PatchInstanceBody = Type.Object(
  {
    name: Type.Optional(Type.String({ ...NOT_BLANK, maxLength: 200 })),
    settings: Type.Optional(SettingsPatch),
  },
  { additionalProperties: false },
)
/** A validated `PatchInstanceBody`. */
export type PatchInstanceBody = Static<typeof PatchInstanceBody>

/** The pairing state: the status and the current code, null if there is none. */
export const QrPoll = Type.Object(
  {
    status: InstanceStatus,
    code: Nullable(Type.String()),
    at: Nullable(Timestamp),
    expiresAt: Nullable(Timestamp),
  },
  {
    title: 'QrPoll',
    examples: [
      {
        status: 'QR',
        code: '2@kq3…',
        at: '2026-11-20T12:00:00.000Z',
        expiresAt: '2026-11-20T12:01:00.000Z',
      },
    ],
  },
)
/** The pairing state as the API returns it. */
export type QrPoll = Static<typeof QrPoll>

const frame = (event: string, data: TProperties) =>
  Type.Object({ event: Type.Literal(event), data: Type.Object(data) })
/** An event of the QR stream, as `event:` and `data:` of server-sent events. */
export const QrStreamEvent = Type.Union(
  [
    frame('ready', { instanceId: Type.String(), status: InstanceStatus, at: Timestamp }),
    frame('qr', { code: Type.String(), at: Nullable(Timestamp), expiresAt: Nullable(Timestamp) }),
    frame('status', { status: InstanceStatus, at: Timestamp }),
    frame('ping', {}),
  ],
  { title: 'QrStreamEvent' },
)

/** The pairing state for the panel, with the sequence number of the code and their maximum (G22). */
export const Pairing = Type.Object(
  { ...QrPoll.properties, sequence: Type.Integer(), most: Type.Integer() },
  { title: 'Pairing' },
)
/** The pairing state as the panel receives it. */
export type Pairing = Static<typeof Pairing>

/** The last status changes of an instance, newest first. */
export const InstanceHistory = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Type.Integer(),
          from: InstanceStatus,
          to: InstanceStatus,
          reason: Nullable(Type.String()),
          at: Timestamp,
        },
        { title: 'Transition' },
      ),
    ),
  },
  { title: 'InstanceHistory' },
)
/** The last status changes as the panel receives them. */
export type InstanceHistory = Static<typeof InstanceHistory>

/** A short-lived token for the QR stream of one instance. */
export const QrToken = Type.Object(
  { token: Type.String(), expiresAt: Timestamp },
  { title: 'QrToken', examples: [{ token: 'qrt_…', expiresAt: '2026-11-20T12:02:00.000Z' }] },
)

/** Body of the request for a pairing code; `phone` is the number to pair. */
export const PairingCodeBody = Type.Object(
  { phone: Type.String({ maxLength: 40, examples: ['+55 11 98888-7777'] }) },
  { additionalProperties: false },
)
/** A code to type on the phone instead of scanning a QR code. */
export const PairingCode = Type.Object(
  { code: Type.String(), expiresAt: Timestamp },
  {
    title: 'PairingCode',
    examples: [{ code: 'ABCD-EFGH', expiresAt: '2026-11-20T12:01:00.000Z' }],
  },
)
