/** How Office documents begin, which people upload instead of a CSV file: zip (xlsx, ods), xls, PDF. */
const OFFICE_STARTS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x25, 0x50, 0x44, 0x46],
]

/** Whether a file that begins with `head` is a spreadsheet or document instead of text. */
export const isOfficeFile = (head: Uint8Array): boolean =>
  OFFICE_STARTS.some((start) => start.every((byte, index) => head[index] === byte))

/** The encoding that the byte order mark at the start of a text file names, or null. */
export function markedEncoding(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
}

/**
 * The delimiter of a CSV text that begins with `head`: what its first line declares as Excel does (`sep=;`), or else the
 * mark that occurs most often in it. `firstLine` is the number of the line with the column names.
 */
export function findDelimiter(head: string): { delimiter: string; firstLine: number } {
  const [first = ''] = head.replace(/^\ufeff/, '').split(/\r?\n/, 1)
  const named = /^sep=(.)$/.exec(first)?.[1]
  if (named) return { delimiter: named, firstLine: 2 }
  const counted = [',', ';', '\t'].map((mark) => ({ mark, times: first.split(mark).length }))
  const { mark } = counted.reduce((best, one) => (one.times > best.times ? one : best))
  return { delimiter: mark, firstLine: 1 }
}
