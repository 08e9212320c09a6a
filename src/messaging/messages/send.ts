import type { StagedFile } from '../../media/store.port.ts'
import type { StoredMedia } from '../../media/media.service.ts'
import type { SendFields } from '../../model/send-fields.schemas.ts'
import type { AnyKind, MessageContent } from '../../model/kinds/index.ts'
import type { MediaInput } from '../../model/media-fields.ts'

/** A message to send: its kind, the validated fields of its body, and the uploaded file if there is one. */
export type Send = {
  kind: AnyKind
  body: SendFields & { media?: MediaInput; voice?: boolean }
  /** The content to send, if not the one that `body` describes. */
  content?: MessageContent
  upload?: { file: StagedFile; mimeType: string | null; fileName: string | null }
  /** Absent until the file is stored; null for a kind without one, and for a URL, which is fetched later. */
  storedFile?: StoredMedia | null
}
