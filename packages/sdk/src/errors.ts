import type { Error as ErrorEnvelope } from './generated/types.gen.ts'
type ErrorBody = ErrorEnvelope['error']
/** Machine-readable code of an error response. */
export type ErrorCode = ErrorBody['code']
/** Cause of an error response, if its status has several. */
export type ErrorReason = NonNullable<ErrorBody['reason']>
/** Base class of everything that a call throws. `message` says what happened, in the server's language. */
export class RecadoError extends Error {
  override readonly name: string = 'RecadoError'
  /** Of a call that may have been made: repeat it with this key, and it is made once. Null if it was not made. */
  readonly idempotencyKey: string | null = null
}
/** The server could not be reached, or the connection ended before its response. */
export class ConnectionError extends RecadoError {
  override readonly name: string = 'ConnectionError'
  /** Seconds until the next attempt; null if nothing said so. */
  readonly retryAfter: number | null = null
}
/** There was no response within the timeout. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError'
}
/** The signal of the call was aborted; `cause` is its reason. */
export class AbortError extends RecadoError {
  override readonly name: string = 'AbortError'
}
/** A gateway responded in place of the server: 429 or 5xx without the JSON of Recado. */
export class GatewayError extends ConnectionError {
  override readonly name: string = 'GatewayError'
}
/** The response is not from Recado, such as a proxy's HTML page. */
export class UnexpectedResponseError extends RecadoError {
  override readonly name: string = 'UnexpectedResponseError'
  /** The address that the response redirects to; null if it is no redirect. */
  readonly location: string | null = null
}
/** An error response of the API. */
export class ApiError<Reason extends ErrorReason = ErrorReason> extends RecadoError {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  readonly reason: Reason | null
  /** Path of the field that the error is about, such as `recipients[3].to`; null if it is about none. */
  readonly field: string | null
  /** Id of the request, for the panel and for support. */
  readonly requestId: string | null
  /** Seconds until the next attempt; null if the server did not say. */
  readonly retryAfter: number | null
  constructor(status: number, { code, message, reason, field }: ErrorBody, headers: Headers) {
    super(message)
    this.status = status
    this.code = code
    this.reason = (reason ?? null) as Reason | null
    this.field = field ?? null
    this.requestId = headers.get('x-request-id')
    this.retryAfter = Number(headers.get('retry-after')) || null
  }
}
const named = <Reason extends ErrorReason>(name: string) =>
  class extends ApiError<Reason> {
    override readonly name = name
  }
/** 400, 413, 415: the request is invalid; the message names the field. */
export class InvalidRequestError extends named<'NOT_PUBLISHABLE'>('InvalidRequestError') {}
/** 401: the API key is missing, wrong or revoked. */
export class AuthenticationError extends named<'OTP_REQUIRED'>('AuthenticationError') {}
/** 402: no subscription, credits or add-on. */
export class PaymentRequiredError extends named<
  'SUBSCRIPTION_REQUIRED' | 'INSUFFICIENT_CREDITS' | 'API_NOT_ENABLED' | 'ADDON_REQUIRED'
>('PaymentRequiredError') {}
/** 403: the Project is inactive, or the restrictions of the key forbid the call. */
export class PermissionError extends named<'KEY_RESTRICTED'>('PermissionError') {}
/** 404: there is no such item in the key's Project and mode. */
export class NotFoundError extends named<never>('NotFoundError') {}
type NotNow = 'INSTANCE_NOT_CONNECTED' | 'NOT_ON_NETWORK' | 'OUTSIDE_WINDOW' | 'PUBLISHING_DISABLED'
/** 409: the state does not allow the call. */
export class ConflictError extends named<NotNow | 'IDEMPOTENCY_MISMATCH'>('ConflictError') {}
/** 429: too many requests of the key, the pace of the instance, or the daily cap of test mode. */
export class RateLimitError extends named<'DAILY_CAP_REACHED' | 'KEY_RATE_LIMIT' | 'PACE_LIMIT'>(
  'RateLimitError',
) {}
/** 5xx: the server failed or is overloaded. */
export class ServerError extends named<never>('ServerError') {}
type ErrorClass = new (status: number, body: ErrorBody, headers: Headers) => ApiError
const BY_STATUS: Record<number, ErrorClass> = {
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}
/** Creates the error of a response's status. */
export function createApiError(status: number, body: ErrorBody, headers: Headers): ApiError {
  const Class: ErrorClass = BY_STATUS[status] ?? (status >= 500 ? ServerError : InvalidRequestError)
  return new Class(status, body, headers)
}
