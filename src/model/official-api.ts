import { allKinds, type MessageContent } from './kinds/index.ts'

/** How long after a person's message the official API lets a company answer with anything but a template. */
export const ANSWER_WINDOW_MS = 24 * 3600_000

/** What decides whether a network can send a message: its kind, or view-once. */
export const sendClassOf = ({ type, content }: { type: string; content: object }): string =>
  (content as Partial<Extract<MessageContent, { viewOnce: boolean }>>).viewOnce === true
    ? 'viewOnce'
    : type

/** The classes that the official API can send: no polls, and nothing that is seen once. */
export const OFFICIAL_CLASSES: string[] = allKinds
  .map((kind) => kind.name)
  .filter((name) => name !== 'poll' && name !== 'pollVote')
