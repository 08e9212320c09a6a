import { Type, type Static } from 'typebox'
import { Role } from '../accounts/accounts.schemas.ts'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { Words } from '../../model/records.schemas.ts'
import { ProjectStatus, UsageMode } from '../projects/projects.schemas.ts'

/** Body of a sign-in. */
export const LoginBody = Type.Object(
  {
    email: Type.String({ maxLength: 320, examples: ['ana@empresa.com.br'] }),
    password: Type.String({ maxLength: 1000, examples: ['uma senha longa'] }),
    code: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Código do segundo fator, ou um código de recuperação',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Body that requests a password reset. */
export const ForgotPasswordBody = Type.Object(
  { email: Type.String({ maxLength: 320 }) },
  { additionalProperties: false },
)
/** Body that sets a new password with a mailed token. */
export const ResetPasswordBody = Type.Object(
  { token: Type.String({ maxLength: 200 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)

/** Body that requests an email change. */
export const ChangeEmailBody = Type.Object(
  { email: Type.String({ maxLength: 320 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)
/** Body with the token of a mailed link. */
export const TokenBody = Type.Object(
  { token: Type.String({ maxLength: 200 }) },
  { additionalProperties: false },
)

/** Body with the current password. */
export const PasswordBody = Type.Object(
  { password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)

/** Body with a verification code. */
export const CodeBody = Type.Object(
  { code: Type.String({ maxLength: 40 }) },
  { additionalProperties: false },
)

/** Body with a refresh token. */
export const RefreshBody = Type.Object(
  { refreshToken: Type.Optional(Type.String({ maxLength: 200, examples: ['urt_…'] })) },
  { additionalProperties: false },
)

/** Both tokens with `X-Token-Response: body`, else an empty object beside the cookies. */
export const TokensAnswer = Type.Object(
  { accessToken: Type.Optional(Type.String()), refreshToken: Type.Optional(Type.String()) },
  { title: 'Tokens', examples: [{ accessToken: 'uat_…', refreshToken: 'urt_…' }] },
)

/** The panel preferences of a user, on all devices. */
export const Appearance = Type.Object(
  {
    theme: Words(['sistema', 'claro', 'escuro']),
    density: Words(['confortavel', 'compacta']),
    language: Words(['pt-BR', 'en']),
  },
  { additionalProperties: false, title: 'Appearance' },
)
export type Appearance = Static<typeof Appearance>

/** Who is in the panel, and whose account it is. */
export const Me = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    secondFactor: Type.Boolean(),
    /** Null: never chosen. */
    appearance: Nullable(Appearance),
    company: Type.String(),
    projectId: Type.String(),
    projectStatus: ProjectStatus,
    usageMode: UsageMode,
    /** Completes numbers that are typed without a country code; null completes none. */
    defaultCountry: Nullable(Type.String()),
  },
  { title: 'Me' },
)
export type Me = Static<typeof Me>
/** A second factor that takes effect once a code confirms it; `uri` is the content of its QR code. */
export const OfferedFactor = Type.Object({ secret: Type.String(), uri: Type.String() })
/** Recovery codes, shown once. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) })
/** Whether the email change has taken effect, or still needs the other address. */
export const EmailChanged = Type.Object({ changed: Type.Boolean() })

/** Body that requests another confirmation link, with an old one or from the browser that signed up. */
export const ResendBody = Type.Object(
  { token: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
)
/** Body that requests another confirmation link, with the password. */
export const ConfirmAgainBody = Type.Object(
  { email: Type.String({ maxLength: 320 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)

/** When and with what the session was opened that ended this browser's. */
export const Successor = Type.Object(
  {
    at: Timestamp,
    /** Such as `Chrome, Windows`; null when it did not say. */
    browser: Nullable(Type.String()),
    /** The time zone of the device, such as `America/Sao_Paulo`: about where it was. */
    timeZone: Nullable(Type.String()),
  },
  { title: 'Successor' },
)
export type Successor = Static<typeof Successor>

/** A session of the person's own; `current`: this one. */
export const OpenedSession = Type.Object(
  {
    at: Timestamp,
    browser: Nullable(Type.String()),
    timeZone: Nullable(Type.String()),
    endedAt: Nullable(Timestamp),
    superseded: Type.Boolean(),
    current: Type.Boolean(),
  },
  { title: 'OpenedSession' },
)
export type OpenedSession = Static<typeof OpenedSession>
/** The recent sessions of a user. */
export const OpenedSessions = Type.Object(
  { items: Type.Array(OpenedSession) },
  { title: 'OpenedSessions' },
)
