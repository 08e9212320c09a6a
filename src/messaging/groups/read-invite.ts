import { INVITE_LINK } from './groups.schemas.ts'

const CODE = /^[\w-]{10,64}$/

/** Returns the code in an invitation, which is a code or a link with one; null if it is neither. */
export function readInvite(text: string): string | null {
  const code = text
    .trim()
    .replace(INVITE_LINK, '')
    .replace(/[?#].*$/, '')
  return CODE.test(code) ? code : null
}
