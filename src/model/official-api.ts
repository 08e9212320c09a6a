import { allKinds, type MessageContent } from './kinds/index.ts'

/** How long after a person's message the official API accepts replies other than templates. */
export const ANSWER_WINDOW_MS = 24 * 3600_000

/** The class of a message that decides which networks can send it: its kind, or view-once. */
export const sendClassOf = ({ type, content }: { type: string; content: object }): string =>
  (content as Partial<Extract<MessageContent, { viewOnce: boolean }>>).viewOnce === true
    ? 'viewOnce'
    : type

/** The classes that the official API can send: neither polls nor view-once media. */
export const OFFICIAL_CLASSES: string[] = allKinds
  .map((kind) => kind.name)
  .filter((name) => name !== 'poll' && name !== 'pollVote')
