import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { fail } from '../kernel/phrases/fail.ts'
import type { Clock } from '../kernel/clock.ts'
import { MissingBytes, type MediaStore, type RemovalFailure } from './store.port.ts'

/** Credentials and address of a bucket. */
export type S3Settings = {
  endpoint: string | null
  bucket: string
  region: string
  accessKey: string
  secretKey: string
}

const DELETE_BATCH_SIZE = 1000
const CONNECT_TIMEOUT_MS = 5000
const MAX_ATTEMPTS = 3
const RETRY_MS = 200
/** A transfer without any data for this long is aborted. */
const IDLE_TIMEOUT_MS = 60_000
/** A bucket that takes or sends a little data now and then must not hold a transfer forever. */
const TIMEOUTS = { uploadMs: 15 * 60_000, responseMs: 3 * 60_000 }

/** The failure of a request to a bucket that does not respond, or rejects it for a reason that is not the caller's. */
const unavailable = (cause: unknown) => fail('unavailable', (say) => say.media.storeAway, { cause })

/** Whether a repetition may succeed: the bucket was busy or away. */
function mayPass(error: unknown): boolean {
  const { httpStatusCode: status } =
    (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {}
  return status === undefined || status === 429 || status >= 500
}

/**
 * Stores files in an S3-compatible bucket, which the operator has to create. An upload takes `uploadMs` at most with
 * its retries, and the response to any other request begins within `responseMs`.
 */
export function createS3Store(
  settings: S3Settings,
  clock: Pick<Clock, 'after'>,
  timeouts = TIMEOUTS,
): MediaStore {
  const { endpoint, bucket, region, accessKey, secretKey } = settings
  const client = new S3Client({
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // Most S3-compatible servers have no host name per bucket and reject checksums they did not
    // request.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
  })

  /** Runs `send`, and aborts it unless it has ended after `ms`. */
  async function within<T>(ms: number, send: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController()
    const timer = clock.after(ms, () => abort.abort())
    try {
      return await send(abort.signal)
    } finally {
      timer.cancel()
    }
  }

  return {
    async put(key, path, { sizeBytes, mimeType }) {
      async function upload(abortSignal: AbortSignal): Promise<void> {
        // A new stream for each attempt, because the SDK cannot repeat one; it does not close that of a failed one.
        const body = createReadStream(path)
        try {
          const command = new PutObjectCommand({
            Bucket: bucket,
            Key: key,
            Body: body,
            ContentLength: sizeBytes,
            // Senders choose the type, and a header takes printable ASCII only.
            ContentType: mimeType.replace(/[^\x20-\x7e]+/g, '') || 'application/octet-stream',
          })
          await client.send(command, { abortSignal })
        } finally {
          body.destroy()
        }
      }
      await within(timeouts.uploadMs, async (abortSignal) => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await upload(abortSignal)
          } catch (error) {
            if (attempt === MAX_ATTEMPTS || abortSignal.aborted || !mayPass(error))
              throw unavailable(error)
            await new Promise<void>((go) => clock.after(RETRY_MS * attempt, go))
          }
        }
      })
    },
    async open(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const download = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ...(Range ? { Range } : {}),
      })
      try {
        const answer = await within(timeouts.responseMs, (abortSignal) =>
          client.send(download, { abortSignal }),
        )
        return answer.Body as Readable
      } catch (error) {
        if (error instanceof NoSuchKey) throw new MissingBytes(key, error)
        throw unavailable(error)
      }
    },
    async remove(keys) {
      const failures: RemovalFailure[] = []
      for (let from = 0; from < keys.length; from += DELETE_BATCH_SIZE) {
        const Objects = keys.slice(from, from + DELETE_BATCH_SIZE).map((Key) => ({ Key }))
        const Delete = { Objects, Quiet: true }
        // A 200 response lists the errors of single objects in its body.
        const removal = new DeleteObjectsCommand({ Bucket: bucket, Delete })
        const { Errors = [] } = await within(timeouts.responseMs, (abortSignal) =>
          client.send(removal, { abortSignal }),
        ).catch((error: unknown) => {
          const reason = `no response: ${String(error)}`
          failures.push(...Objects.map(({ Key }) => ({ key: Key, reason, isUnanswered: true })))
          return { Errors: [] }
        })
        failures.push(
          ...Errors.map(({ Key = '', Code, Message }) => ({
            key: Key,
            reason: `${Code}: ${Message}`,
          })),
        )
      }
      return failures
    },
    close: () => client.destroy(),
  }
}
