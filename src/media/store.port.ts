import type { Readable } from 'node:stream'

/** Where the bytes of files lie. Keys are paths of letters, digits, `_`, `-` and `/`; bytes never change. */
export type MediaStore = {
  /** Keeps a local file under a key; durable when it resolves. The file may be moved away. */
  put(key: string, path: string, facts: { sizeBytes: number; mimeType: string }): Promise<void>
  /** The bytes, or those of an inclusive range. Throws MissingBytes. */
  open(key: string, range?: { start: number; end: number }): Promise<Readable>
  /**
   * Removes keys; one that is not there counts as removed. Resolves with the keys that could not be removed and why; one key's
   * failure affects no other.
   */
  remove(keys: string[]): Promise<RemovalFailure[]>
  close(): void
}

/** An object that the store failed to delete. */
export type RemovalFailure = { key: string; reason: string }

/** The bytes of a file are missing in the store. */
export class MissingBytes extends Error {
  constructor(key: string, cause?: unknown) {
    super(`no bytes under ${key}`, { cause })
    this.name = 'MissingBytes'
  }
}

/** A file on its way into the store, in a folder of our own; disposing removes it if it is still there. */
export type StagedFile = AsyncDisposable & {
  path: string
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}
