import { PNG } from 'pngjs'

/** A picture, in base64. */
export const PICTURE = PNG.sync.write(new PNG({ width: 600, height: 900 })).toString('base64')

/** The nth phone number of a test, as the panel shows it. */
export const numberOf = (index: number): string => `+55 11 98888-${1000 + index * 10 + 9}`
