import type { MessageExtras } from '../details.schemas.ts'
import { audio } from './audio.ts'
import { contact } from './contact.ts'
import { document } from './document.ts'
import { image } from './image.ts'
import { location } from './location.ts'
import { poll } from './poll.ts'
import { pollVote } from './poll-vote.ts'
import { reaction } from './reaction.ts'
import { sticker } from './sticker.ts'
import { template } from './template.ts'
import { text } from './text.ts'
import { video } from './video.ts'

/** All message kinds. Routes, reference, record and simulator are derived from this list; the first is the default. */
export const kinds = [
  text,
  image,
  video,
  audio,
  document,
  sticker,
  location,
  contact,
  reaction,
  poll,
  pollVote,
  template,
] as const

/** A kind of message. */
export type Kind = (typeof kinds)[number]
/** The content of a message, by kind. Network adapters compile only if they handle every kind. */
export type MessageContent = ReturnType<Kind['toContent']> & MessageExtras

/** A kind with widened content types, for code that treats all kinds alike. */
export type AnyKind = Omit<Kind, 'toContent' | 'textOf' | 'show' | 'target' | 'shown'> & {
  toContent: (body: never) => MessageContent
  textOf: (content: MessageContent) => string | null
  show?: (content: MessageContent) => object
  shown?: object
  target?: { of: (content: MessageContent) => string; type: string | null }
}

/** All kinds, with widened content types. */
export const allKinds = kinds as readonly Kind[] as unknown as readonly [AnyKind, ...AnyKind[]]

/** Names of the kinds that never count as unread. */
export const SILENT_TYPES = allKinds.filter((kind) => kind.silent).map((kind) => kind.name)

/** Returns the kind with this name, or null. */
export function kindNamed(name: string): AnyKind | null {
  return allKinds.find((kind) => kind.name === name) ?? null
}
