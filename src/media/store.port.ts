import type { Readable } from 'node:stream'

/** Stores the bytes of files. Keys are paths of letters, digits, `_`, `-` and `/`; the bytes of a key never change. */
export type MediaStore = {
  /** Stores a local file under a key; durable once it resolves. The file may be moved away. */
  put(key: string, path: string, facts: { sizeBytes: number; mimeType: string }): Promise<void>
  /** Returns the bytes, or an inclusive range of them. Throws MissingBytes. */
  open(key: string, range?: { start: number; end: number }): Promise<Readable>
  /**
   * Removes keys; a missing key counts as removed. Resolves with the keys that could not be removed
   * and why; one failure affects no other key.
   */
  remove(keys: string[]): Promise<RemovalFailure[]>
  close(): void
}

/** An object that the store failed to delete; `isUnanswered` if the store did not respond at all. */
export type RemovalFailure = { key: string; reason: string; isUnanswered?: boolean }

/** The bytes of a file are missing in the store. */
export class MissingBytes extends Error {
  constructor(key: string, cause?: unknown) {
    super(`no bytes stored under key ${key}`, { cause })
    this.name = 'MissingBytes'
  }
}

/** A file in the staging directory; disposing deletes it unless the store has moved it. */
export type StagedFile = AsyncDisposable & {
  path: string
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}
