import { language } from '../phrases/phrases.ts'

const KILO = 1000

/** The size of a file in its largest unit, such as `120 kB` or `1,5 MB`. */
export function fileSize(bytes: number): string {
  const [unit, divisor] =
    bytes < KILO ? ['byte', 1] : bytes < KILO ** 2 ? ['kilobyte', KILO] : ['megabyte', KILO ** 2]
  const maximumFractionDigits = unit === 'megabyte' ? 1 : 0
  return (bytes / divisor).toLocaleString(language, {
    style: 'unit',
    unit: unit,
    maximumFractionDigits,
  })
}
