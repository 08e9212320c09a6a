import { createHmac, timingSafeEqual } from 'node:crypto'

export function verify(secret: string, signature: string, body: Buffer): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const [a, b] = [Buffer.from(expected), Buffer.from(signature)]
  return a.length === b.length && timingSafeEqual(a, b)
}
