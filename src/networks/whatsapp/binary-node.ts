import type { BinaryNode } from 'baileys'

/** The elements within a stanza; none if it has text, bytes or nothing. */
export const childrenOf = (node: BinaryNode | null | undefined): BinaryNode[] =>
  Array.isArray(node?.content) ? node.content : []

/** Accompanies a new poll, as in all clients. Source: getMessageContent of whatsmeow. */
export const POLL_CREATION: BinaryNode = { tag: 'meta', attrs: { polltype: 'creation' } }
