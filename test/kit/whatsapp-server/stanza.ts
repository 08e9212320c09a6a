import { getBinaryNodeChild, type BinaryNode } from 'baileys'

export const WA = 's.whatsapp.net'
export type Attributes = Record<string, string>

/** An element; children, bytes or text inside. */
export function element(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: BinaryNode['content'],
): BinaryNode {
  const present = Object.entries(attrs).filter(([, value]) => value !== undefined)
  return {
    tag,
    attrs: Object.fromEntries(present) as Attributes,
    ...(content === undefined ? {} : { content }),
  }
}

export function child(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return node && getBinaryNodeChild(node, tag)
}

export function children(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : []
}

export function bytesOf(node: BinaryNode | undefined): Buffer {
  const content = node?.content
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.alloc(0)
}

export function bigEndian(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUintBE(value, 0, size)
  return bytes
}

export const numberOf = (node: BinaryNode | undefined) => {
  const bytes = bytesOf(node)
  return bytes.length === 0 ? 0 : bytes.readUintBE(0, bytes.length)
}

let stanzas = 0
/** Without an "@", which the wire would take for an address. */
export const stanzaId = () => `f${(++stanzas).toString(16).padStart(7, '0')}`

/** The person and the device that an address names. */
export function readJid(jid: string): { user: string; server: string; device: number } {
  const [left = '', server = ''] = jid.split('@')
  const [user = '', device = '0'] = left.split(':')
  return { user: user.split('_')[0] ?? '', server, device: Number(device) }
}

export const seconds = () => Math.floor(Date.now() / 1000).toString()
