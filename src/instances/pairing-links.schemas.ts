import { Type, type Static } from 'typebox'
import { Nullable, Timestamp } from '../kernel/schemas.ts'
import { InstanceStatus } from '../model/records.schemas.ts'

/** A single-use link with which a person without an account pairs an instance. */
export const PairingLink = Type.Object(
  { url: Type.String(), expiresAt: Timestamp },
  {
    title: 'PairingLink',
    examples: [
      {
        url: 'https://painel.recado.app/parear?token=plk_…',
        expiresAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)

/** Body of the link's page: the token of the link. */
export const PairingLinkBody = Type.Object(
  { token: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
)

/** Body that requests a code to type on the phone. */
export const PairingLinkCodeBody = Type.Object(
  { token: Type.String({ maxLength: 100 }), phone: Type.String({ maxLength: 40 }) },
  { additionalProperties: false },
)

/** The state that the link's page shows. `code` is null before the network offers one and after pairing. */
export const PairingLinkState = Type.Object({
  company: Type.String(),
  name: Type.String(),
  status: InstanceStatus,
  /** Whether the instance was paired through this link. */
  used: Type.Boolean(),
  code: Nullable(Type.String()),
  expiresAt: Nullable(Timestamp),
})
export type PairingLinkState = Static<typeof PairingLinkState>
