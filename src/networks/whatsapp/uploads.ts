import type { WASocket } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { withDeadline } from '../../kernel/deadline.ts'
import type { OutboundMedia } from '../network.port.ts'
import type { Uploaded, WhatsAppMedia } from './media.ts'
import type { MediaKind } from '../../model/vocabulary.ts'

/** How long a batch waits for an upload; then the upload continues beside it. */
const WAIT_MS = 10_000
/** When a message whose file is still being uploaded is tried again. */
const RETRY_MS = 2000
/** Maximum uploads that continue beside a batch; with more, messages with a file wait for these. */
const MAX_UNFINISHED = 4
/** How long a finished upload is kept for its message, which may have been deleted meanwhile. */
const KEPT_MS = 10 * 60_000

/** The file of a message is still being uploaded; the message is retried at `retryAt` (milliseconds since the epoch). */
export class UploadUnfinished extends Error {
  readonly retryAt: number
  constructor(waMessageId: string, retryAt: number) {
    super(`the file of message ${waMessageId} is still being uploaded`)
    this.name = 'UploadUnfinished'
    this.retryAt = retryAt
  }
}

/** Creates the uploads of an account, which may take minutes and delay only the messages that carry the files. */
export function createUploads({
  clock,
  media,
}: {
  clock: Clock
  media: Pick<WhatsAppMedia, 'upload' | 'uploadForChannel'>
}) {
  const uploads = new Map<string, { result: Promise<Uploaded>; isFinished: boolean }>()

  function start(waMessageId: string, begin: () => Promise<Uploaded>) {
    const upload = { result: begin(), isFinished: false }
    uploads.set(waMessageId, upload)
    const finish = () => {
      upload.isFinished = true
      clock.after(KEPT_MS, () => {
        if (uploads.get(waMessageId) === upload) uploads.delete(waMessageId)
      })
    }
    void upload.result.then(finish, finish)
    return upload
  }

  return {
    /**
     * Returns the uploaded file of a message, for which the first call begins the upload. Throws UploadUnfinished while it
     * continues, and otherwise the error of the upload, which the next call repeats.
     */
    async get(
      socket: WASocket,
      waMessageId: string,
      file: OutboundMedia,
      kind: MediaKind,
      forChannel: boolean,
    ): Promise<Uploaded> {
      const begin = () =>
        forChannel ? media.uploadForChannel(socket, file, kind) : media.upload(socket, file, kind)
      const earlier = uploads.get(waMessageId)
      const unfinished = [...uploads.values()].filter(({ isFinished }) => !isFinished)
      const isUnfinished = earlier ? !earlier.isFinished : unfinished.length >= MAX_UNFINISHED
      const comeBack = () => new UploadUnfinished(waMessageId, clock.now() + RETRY_MS)
      if (isUnfinished) throw comeBack()
      const upload = earlier ?? start(waMessageId, begin)
      try {
        return await withDeadline(clock, WAIT_MS, upload.result, comeBack)
      } finally {
        if (upload.isFinished) uploads.delete(waMessageId)
      }
    },
  }
}
