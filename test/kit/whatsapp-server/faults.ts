import type { BinaryNode } from 'baileys'
import type { Person } from './person.ts'
import { bytesOf, child, children } from './stanza.ts'

/** How a stanza to a device is disturbed: dropped, delivered once, or repeated. */
export type OnTheWay = (node: BinaryNode, to: Person | null) => BinaryNode[]

const isTold = ({ tag }: BinaryNode) => ['message', 'receipt', 'notification', 'call'].includes(tag)

/** Every stanza is delivered twice. */
export const twice: OnTheWay = (node) => (isTold(node) ? [node, node] : [node])

/** Number of stanzas that are collected and then delivered in reverse order. */
export function outOfOrder(many: number): OnTheWay {
  let held: BinaryNode[] = []
  return (node) => {
    if (node.tag !== 'message') return [node]
    held.unshift(node)
    if (held.length < many) return []
    const all = held
    held = []
    return all
  }
}

/** The first time that each message passes, its bytes are spoilt. */
export function spoiltOnce(): OnTheWay {
  const seen = new Set<string>()
  return (node) => {
    const id = node.attrs['id'] ?? ''
    if (node.tag !== 'message' || seen.has(id)) return [node]
    seen.add(id)
    const enc = child(node, 'enc')
    const bytes = Buffer.from(bytesOf(enc))
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 0xff
    return [
      {
        ...node,
        content: children(node).map((one) => (one === enc ? { ...one, content: bytes } : one)),
      },
    ]
  }
}

/** Drops everything sent there, although the connection looks open. */
export const mute =
  (person: Person): OnTheWay =>
  (node, to) =>
    to === person ? [] : [node]
