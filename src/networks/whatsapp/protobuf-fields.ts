/**
 * Returns the number and the bytes of each length-delimited field of a Protocol Buffers message, in order, without
 * decoding them; fields of other types are skipped. Throws if the bytes are no message. A message with a hundred
 * thousand parts is read part by part this way.
 */
export function* fieldsOf(bytes: Uint8Array): Generator<[field: number, value: Uint8Array]> {
  let at = 0
  const invalid = () =>
    new Error(`not a Protocol Buffers message: stopped at byte ${at} of ${bytes.length}`)
  function varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]
      if (byte === undefined || factor > 2 ** 63) throw invalid()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const field = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0:
        varint()
        break
      case 1:
        at += 8
        break
      case 2: {
        const end = varint() + at
        if (end > bytes.length) throw invalid()
        yield [field, bytes.subarray(at, end)]
        at = end
        break
      }
      case 5:
        at += 4
        break
      default:
        throw invalid()
    }
  }
}
