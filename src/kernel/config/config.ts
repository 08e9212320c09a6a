import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { StartFault } from '../phrases/fail.ts'
import { say } from '../phrases/phrases.ts'
import { parseCidr, type Cidr } from '../address-policy.ts'
import { isDecodable } from './is-decodable.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const ROOT_KEY_BYTES = 32
const MIB = 1024 * 1024
/** Storage quota of a Project in the sandbox, which is free of charge. */
const SANDBOX_QUOTA_MB = 1024
const STRIPE_KEY = /^(sk|rk)_(test|live)_/
const NETWORKS = ['simulator', 'whatsapp'] as const

/** The two isolated modes of every Project. */
export type Mode = 'test' | 'production'
type NetworkName = (typeof NETWORKS)[number]

/** The validated configuration with its defaults (G64). */
export type Config = Readonly<{
  port: number
  host: string
  /** Number of processes that share the port; 1 runs a single process without a primary. */
  workers: number
  dataDir: string
  /** Null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null
  /** Null: nodes notify each other through PostgreSQL. */
  natsUrl: string | null
  publicUrl: string
  sandboxUrl: string
  panelUrl: string
  /** Null: mail is written to files under `dataDir`. */
  smtpUrl: string | null
  mailFrom: string
  /** The network that serves each mode. */
  networks: Record<Mode, NetworkName>
  egress: Readonly<{
    allow: Cidr[]
    deny: Cidr[]
    /**
     * Name servers as `address` or `address:port`; `system` for the operating system's resolver function; null for the
     * name servers configured on this machine.
     */
    dns: string[] | 'system' | null
    /** The HTTP proxy for all outgoing connections, or null. */
    proxy: string | null
  }>
  media: Readonly<{
    /** Null: files are stored on this server's disk. */
    s3: Readonly<{
      endpoint: string | null
      bucket: string
      region: string
      accessKey: string
      secretKey: string
    }> | null
    retentionDays: number
    /** Storage quota of a Project for outgoing files, in bytes. */
    quotaBytes: Readonly<Record<Mode, number>>
  }>
  /** Meta's Graph API, with its version. */
  cloudApiUrl: URL
  /** Overrides for a WhatsApp-compatible server; a null field means WhatsApp's own value. */
  whatsapp: Readonly<{
    url: URL | null
    rootKey: Buffer | null
    version: [number, number, number] | null
    versionUrl: URL | null
  }>
  /** Null: the operator collects payments manually. */
  stripe: Readonly<{ secretKey: string; webhookSecret: string }> | null
  /**
   * One key, or several separated by commas: the first seals, any of them can open. Null: generated on the first start.
   */
  masterKey: string | null
  /** Null: metrics are served only to callers on this machine. */
  metricsToken: string | null
  /** Null: no traces. Otherwise the collector that spans are sent to, and the share of traces that is kept. */
  tracing: Readonly<{
    url: string
    headers: Record<string, string>
    serviceName: string
    ratio: number
  }> | null
  /** Addresses or ranges of reverse proxies whose `X-Forwarded-*` headers are trusted. */
  trustProxy: string[]
  logLevel: (typeof LOG_LEVELS)[number]
}>

type Env = Record<string, string | undefined>

function refuse(name: string, why: string): never {
  throw new StartFault(say.start.variable(name, why))
}

function readText(env: Env, name: string): string | null {
  const value = env[name]?.trim()
  return value ? value : null
}

function readNumber(env: Env, name: string, fallback: number, from: number, to: number): number {
  const text = readText(env, name)
  if (text === null) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < from || value > to) refuse(name, say.start.number(from, to))
  return value
}

function readChoice<Choice extends string>(
  env: Env,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const text = readText(env, name)
  if (text === null) return fallback
  const found = choices.find((choice) => choice === text)
  return found ?? refuse(name, say.start.oneOf(choices.join(', ')))
}

function readUrl(env: Env, name: string, protocols: string[]): string | null {
  const text = readText(env, name)
  if (text === null) return null
  if (!URL.canParse(text)) refuse(name, say.start.url(`${protocols[0]}//`))
  const url = new URL(text)
  if (!isDecodable(`${url.username}${url.password}`))
    refuse(name, say.start.url(`${protocols[0]}//`))
  if (!protocols.includes(url.protocol)) {
    refuse(name, say.start.urlProtocol(protocols.map((protocol) => `${protocol}//`).join(', ')))
  }
  return text.replace(/\/+$/, '')
}

function readList(env: Env, name: string): string[] {
  return (readText(env, name) ?? '').split(/[\s,]+/).filter((part) => part !== '')
}

function readCidrs(env: Env, name: string): Cidr[] {
  return readList(env, name).map((part) => parseCidr(part) ?? refuse(name, say.start.cidr(part)))
}

function readDns(env: Env): string[] | 'system' | null {
  const list = readList(env, 'EGRESS_DNS')
  if (list.length === 0) return null
  if (list[0] === 'system' && list.length === 1) return 'system'
  const bad = list.find((part) => isIP(part.replace(/:\d+$/, '')) === 0 && isIP(part) === 0)
  return bad === undefined ? list : refuse('EGRESS_DNS', say.start.address(bad))
}

function readMasterKey(env: Env, databaseUrl: string | null): string | null {
  const key = readText(env, 'MASTER_KEY')
  if (key === null && databaseUrl !== null) throw new StartFault(say.start.masterKeyNeeded)
  const keys = key?.split(',').map((one) => one.trim()) ?? []
  if (keys.some((one) => one.length < 32)) refuse('MASTER_KEY', say.start.masterKeyShort)
  return key
}

function readMetricsToken(env: Env): string | null {
  const token = readText(env, 'METRICS_TOKEN')
  if (token !== null && !/^\S{16,200}$/.test(token)) refuse('METRICS_TOKEN', say.start.metricsToken)
  return token
}

/** Returns null if the text contains an invalid percent escape. */
function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Reads OpenTelemetry's own variable names, so that its documentation applies. */
function readTracing(env: Env, http: string[]): Config['tracing'] {
  const base = readUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', http)
  const given = readText(env, 'OTEL_EXPORTER_OTLP_HEADERS')
  const serviceName = readText(env, 'OTEL_SERVICE_NAME') ?? 'recado'
  const ratio = Number(readText(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)
  // Without an endpoint, the variables may be meant for another program: do not reject them.
  if (base === null) return null
  const pairs = (given?.split(',') ?? []).map((pair) => {
    const [, name, value] = /^([\w-]+)=(.+)$/.exec(pair.trim()) ?? []
    const decoded = value === undefined ? null : decodePercent(value)
    return name && decoded
      ? [name, decoded]
      : refuse('OTEL_EXPORTER_OTLP_HEADERS', say.start.otlpHeaders)
  })
  if (!(ratio >= 0 && ratio <= 1)) refuse('OTEL_TRACES_SAMPLER_ARG', say.start.ratio)
  const headers = Object.fromEntries(pairs) as Record<string, string>
  return { url: `${base}/v1/traces`, headers, serviceName, ratio }
}

function readMedia(env: Env, http: string[]): Config['media'] {
  const store = readChoice(env, 'MEDIA_STORE', ['disk', 's3'], 'disk')
  const retentionDays = readNumber(env, 'MEDIA_RETENTION_DAYS', 30, 1, 3650)
  const quotaMb = readNumber(env, 'MEDIA_QUOTA_MB', 20_480, 1, 1_000_000_000)
  const quotaBytes = { test: Math.min(quotaMb, SANDBOX_QUOTA_MB) * MIB, production: quotaMb * MIB }
  const needed = (name: string) => readText(env, name) ?? refuse(name, say.start.missing)
  const s3 = () => ({
    endpoint: readUrl(env, 'S3_ENDPOINT', http),
    bucket: needed('S3_BUCKET'),
    region: readText(env, 'S3_REGION') ?? 'us-east-1',
    accessKey: needed('S3_ACCESS_KEY'),
    secretKey: needed('S3_SECRET_KEY'),
  })
  return { s3: store === 's3' ? s3() : null, retentionDays, quotaBytes }
}

function readStripe(env: Env): Config['stripe'] {
  const [secretKey, webhookSecret] = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'].map((name) =>
    readText(env, name),
  )
  if (!secretKey && !webhookSecret) return null
  if (!secretKey) return refuse('STRIPE_SECRET_KEY', say.start.missing)
  if (!webhookSecret) return refuse('STRIPE_WEBHOOK_SECRET', say.start.missing)
  if (!STRIPE_KEY.test(secretKey)) refuse('STRIPE_SECRET_KEY', say.start.stripeKey)
  if (!webhookSecret.startsWith('whsec_')) {
    refuse('STRIPE_WEBHOOK_SECRET', say.start.stripeSecret)
  }
  return { secretKey, webhookSecret }
}

function readWhatsApp(env: Env): Config['whatsapp'] {
  const url = readUrl(env, 'WHATSAPP_URL', ['wss:', 'ws:'])
  const versionUrl = readUrl(env, 'WHATSAPP_VERSION_URL', ['https:', 'http:'])
  const key = readText(env, 'WHATSAPP_ROOT_KEY')
  const rootKey = key === null ? null : Buffer.from(key, 'base64')
  if (rootKey && rootKey.length !== ROOT_KEY_BYTES) refuse('WHATSAPP_ROOT_KEY', say.start.rootKey)
  const version = readText(env, 'WHATSAPP_VERSION')
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version ?? '') ?? []
  const [first = 0, second = 0, third = 0] = parts.map(Number)
  if (version !== null && parts.length === 0) refuse('WHATSAPP_VERSION', say.start.version)
  return {
    url: url === null ? null : new URL(url),
    rootKey,
    version: version === null ? null : [first, second, third],
    versionUrl: versionUrl === null ? null : new URL(versionUrl),
  }
}

const MAX_WORKERS = 64
/** Meta supports an API version for two years; this one was released in 2025. */
const CLOUD_API_URL = 'https://graph.facebook.com/v23.0'

/**
 * Reads and validates all environment variables. Throws StartFault with a sentence that names the first invalid one.
 */
export function parseConfig(env: Env): Config {
  const port = readNumber(env, 'PORT', 3000, 0, 65535)
  const http = ['http:', 'https:']
  const publicUrl = readUrl(env, 'PUBLIC_URL', http) ?? `http://localhost:${port}`
  const postgres = ['postgres:', 'postgresql:']
  const pooled = readUrl(env, 'DATABASE_URL', postgres)
  // A transaction pooler serves no part of Recado, so the connection that bypasses it serves all.
  const databaseUrl = readUrl(env, 'DATABASE_DIRECT_URL', postgres) ?? pooled
  const trustProxy = readList(env, 'TRUST_PROXY')
  for (const part of trustProxy) {
    if (!parseCidr(part) || part.endsWith('/0')) refuse('TRUST_PROXY', say.start.cidr(part))
  }
  return Object.freeze({
    port,
    host: readText(env, 'HOST') ?? '127.0.0.1',
    workers: readNumber(env, 'WORKERS', 1, 1, MAX_WORKERS),
    dataDir: resolve(readText(env, 'DATA_DIR') ?? './data'),
    databaseUrl,
    natsUrl: readUrl(env, 'NATS_URL', ['nats:', 'tls:']),
    publicUrl,
    sandboxUrl: readUrl(env, 'SANDBOX_URL', http) ?? `http://sandbox.localhost:${port}`,
    panelUrl: readUrl(env, 'PANEL_URL', http) ?? publicUrl,
    smtpUrl: readUrl(env, 'SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: readText(env, 'MAIL_FROM') ?? 'Recado <recado@localhost>',
    networks: {
      test: readChoice(env, 'TEST_NETWORK', NETWORKS, 'simulator'),
      production: readChoice(env, 'PRODUCTION_NETWORK', NETWORKS, 'whatsapp'),
    },
    egress: {
      allow: readCidrs(env, 'EGRESS_ALLOW'),
      deny: readCidrs(env, 'EGRESS_DENY'),
      dns: readDns(env),
      proxy: readUrl(env, 'EGRESS_PROXY', ['http:']),
    },
    media: readMedia(env, http),
    whatsapp: readWhatsApp(env),
    cloudApiUrl: new URL(readUrl(env, 'CLOUD_API_URL', http) ?? CLOUD_API_URL),
    stripe: readStripe(env),
    masterKey: readMasterKey(env, databaseUrl),
    metricsToken: readMetricsToken(env),
    tracing: readTracing(env, http),
    trustProxy,
    logLevel: readChoice(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  })
}
