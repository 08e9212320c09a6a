/** Spreadsheets run what starts with one of these as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/

const quote = (value: string): string =>
  `"${(FORMULA_START.test(value) && !/^\+\d+$/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`

/** Saves rows as a CSV file that spreadsheets of any language open: with a byte order mark and semicolons. */
export function downloadCsv(fileName: string, rows: readonly (readonly string[])[]): void {
  const text = rows.map((row) => row.map(quote).join(';')).join('\r\n')
  const url = URL.createObjectURL(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName.replaceAll(/[/\\:*?"<>|]/g, '-')
  link.click()
  URL.revokeObjectURL(url)
}
