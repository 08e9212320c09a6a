import { PNG } from 'pngjs'
import { encode, renderSVG } from 'uqr'

/** Light modules around the code, which scanners need. */
const BORDER = 4
/** Pixels per module of a PNG. */
const SCALE = 8

/** Returns a pairing code as an SVG image, black on white. */
export const toSvg = (code: string): string => renderSVG(code, { border: BORDER })

/** Returns a pairing code as a PNG image, black on white, 8 pixels per module. */
export function toPng(code: string): Buffer {
  const { data, size } = encode(code, { border: BORDER })
  const side = size * SCALE
  const image = new PNG({ width: side, height: side, colorType: 0, inputColorType: 0, bitDepth: 8 })
  image.data = Buffer.from(
    data.flatMap((row) => {
      const pixels = row.flatMap((dark) => Array.from({ length: SCALE }, () => (dark ? 0 : 255)))
      return Array.from({ length: SCALE }, () => pixels).flat()
    }),
  )
  return PNG.sync.write(image, { colorType: 0, inputColorType: 0, bitDepth: 8 })
}
