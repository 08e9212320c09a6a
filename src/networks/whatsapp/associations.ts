import type { proto } from 'baileys'
import type { Baileys } from './baileys.ts'
import { MEDIA_ALBUM } from './encode.ts'

type Level = proto.IMessage | null | undefined

/** Whether a message repeats another in a better quality, which arrives apart: the first one is shown. */
export function isSecondCopy({ proto }: Baileys, outer: Level, opened: Level): boolean {
  const { AssociationType } = proto.MessageAssociation
  const copies: unknown[] = [
    AssociationType.HD_IMAGE_DUAL_UPLOAD,
    AssociationType.HD_VIDEO_DUAL_UPLOAD,
    AssociationType.HEVC_VIDEO_DUAL_UPLOAD,
    AssociationType.MOTION_PHOTO,
  ]
  return [outer, outer?.associatedChildMessage?.message, opened].some((level) => {
    const { messageAssociation: found } = level?.messageContextInfo ?? {}
    return found?.parentMessageKey?.id && copies.includes(found.associationType)
  })
}

/** Reads which album a photo or video belongs to. */
export function albumOf(...levels: (proto.IMessage | null | undefined)[]): {
  album?: { id: string }
} {
  const [found] = levels.flatMap((message) => message?.messageContextInfo?.messageAssociation ?? [])
  const id = found?.associationType === MEDIA_ALBUM ? found.parentMessageKey?.id : null
  return id ? { album: { id } } : {}
}
