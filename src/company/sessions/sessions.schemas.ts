import { Type, type Static } from 'typebox'
import { PersonName, Role } from '../accounts/accounts.schemas.ts'
import { Nullable, Timestamp, Words } from '../../kernel/schemas.ts'
import { ProjectStatus, UsageMode } from '../projects/projects.schemas.ts'
import { LANGUAGES } from '../../kernel/phrases/phrases.ts'

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

/** Both tokens with `X-Token-Response: body`; otherwise empty, with the tokens in cookies. */
export const TokensResponse = Type.Object(
  { accessToken: Type.Optional(Type.String()), refreshToken: Type.Optional(Type.String()) },
  { title: 'Tokens', examples: [{ accessToken: 'uat_…', refreshToken: 'urt_…' }] },
)

/** The panel preferences of a user, on all devices. */
export const Appearance = Type.Object(
  {
    theme: Words(['sistema', 'claro', 'escuro']),
    density: Words(['confortavel', 'compacta']),
    language: Words(LANGUAGES),
  },
  { additionalProperties: false, title: 'Appearance' },
)
export type Appearance = Static<typeof Appearance>

/** Body that sets the display name of the user. */
export const NameBody = Type.Object({ name: PersonName }, { additionalProperties: false })

/** The signed-in user of the panel and their company. */
export const Me = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    /** The display name of the user; null until they set one. */
    name: Nullable(Type.String()),
    role: Role,
    secondFactor: Type.Boolean(),
    /** Whether the user is an operator of the installation, and sees the operator's pages. */
    operator: Type.Boolean(),
    /** Null if the user never chose one. */
    appearance: Nullable(Appearance),
    company: Type.String(),
    projectId: Type.String(),
    projectStatus: ProjectStatus,
    usageMode: UsageMode,
    /** The ISO country whose calling code completes national numbers; null leaves them as is. */
    defaultCountry: Nullable(Type.String()),
  },
  { title: 'Me' },
)
export type Me = Static<typeof Me>
/** A second factor that is pending until a code confirms it; `uri` is the QR code's content. */
export const OfferedFactor = Type.Object({ secret: Type.String(), uri: Type.String() })
/** Recovery codes, shown once. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) })
/** Whether the email change has taken effect; false while the other address must still confirm. */
export const EmailChanged = Type.Object({ changed: Type.Boolean() })

/** Body that requests a new confirmation link, with an old link's token or the sign-up cookie. */
export const ResendBody = Type.Object(
  { token: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
)
/** Body that requests a new confirmation link, with the password. */
export const ConfirmAgainBody = Type.Object(
  { email: Type.String({ maxLength: 320 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)

/** The session that superseded this browser's: when and on which device it was opened. */
export const Successor = Type.Object(
  {
    at: Timestamp,
    /** Such as `Chrome, Windows`; null if unknown. */
    browser: Nullable(Type.String()),
    /** The device's time zone, such as `America/Sao_Paulo`: its approximate location. */
    timeZone: Nullable(Type.String()),
  },
  { title: 'Successor' },
)
export type Successor = Static<typeof Successor>

/** A session of the user; `current` marks the one that makes the request. */
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
