import { Type, type Static } from 'typebox'
import { Nullable, Page, Timestamp } from '../kernel/shapes.ts'
import { DISCONNECT_REASONS, InstanceStatus, Words } from '../model/records.schemas.ts'

const MOST_DELAY_MS = 600_000
const settingFields = {
  rejectCalls: Type.Boolean(),
  readMessages: Type.Boolean(),
  ignoreGroups: Type.Boolean(),
  downloadMedia: Type.Boolean(),
  sendDelayMinMs: Type.Integer({ minimum: 0, maximum: MOST_DELAY_MS }),
  sendDelayMaxMs: Type.Integer({ minimum: 0, maximum: MOST_DELAY_MS }),
}
const exampleSettings = {
  rejectCalls: false,
  proxyUrl: null,
  readMessages: false,
  ignoreGroups: false,
  downloadMedia: true,
  sendDelayMinMs: 0,
  sendDelayMaxMs: 0,
}

export const InstanceSettings = Type.Object({
  ...settingFields,
  proxyUrl: Nullable(Type.String({ description: 'A senha aparece mascarada' })),
})
export type InstanceSettings = Static<typeof InstanceSettings>

/** Source: contract §2.1. */
export const Instance = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    externalId: Nullable(Type.String()),
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
export type Instance = Static<typeof Instance>
export const InstanceList = Page(Instance, 'InstanceList')

const SettingsPatch = Type.Partial(
  Type.Object({
    ...settingFields,
    proxyUrl: Type.String({ maxLength: 500, description: 'Vazio retira o proxy' }),
  }),
  { additionalProperties: false },
)
export type SettingsPatch = Static<typeof SettingsPatch>

export const CreateInstanceBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, examples: ['Suporte'] }),
    externalId: Type.Optional(Type.String({ maxLength: 200 })),
    settings: Type.Optional(SettingsPatch),
  },
  { additionalProperties: false },
)
export type CreateInstanceBody = Static<typeof CreateInstanceBody>

export const PatchInstanceBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    settings: Type.Optional(SettingsPatch),
  },
  { additionalProperties: false },
)
export type PatchInstanceBody = Static<typeof PatchInstanceBody>

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
export type QrPoll = Static<typeof QrPoll>

/** What the panel shows of a pairing: the code, and which of how many. Source: contract §2.1. */
export const Pairing = Type.Object(
  { ...QrPoll.properties, sequence: Type.Integer(), most: Type.Integer() },
  { title: 'Pairing' },
)
export type Pairing = Static<typeof Pairing>

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
export type InstanceHistory = Static<typeof InstanceHistory>

export const QrToken = Type.Object(
  { token: Type.String(), expiresAt: Timestamp },
  { title: 'QrToken', examples: [{ token: 'qrt_…', expiresAt: '2026-11-20T12:02:00.000Z' }] },
)

export const PairingCodeBody = Type.Object(
  { phone: Type.String({ maxLength: 40, examples: ['+55 11 98888-7777'] }) },
  { additionalProperties: false },
)
export const PairingCode = Type.Object(
  { code: Type.String(), expiresAt: Timestamp },
  {
    title: 'PairingCode',
    examples: [{ code: 'ABCD-EFGH', expiresAt: '2026-11-20T12:01:00.000Z' }],
  },
)
