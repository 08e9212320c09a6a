import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/** OWASP's recommended argon2id parameters with 19 MiB and two passes. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
type Cost = { memory: number; passes: number; parallelism: number }

function derive(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  const parameters = { ...cost, tagLength: 32, message: password, nonce }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)))
  })
}

/** Hashes a password with argon2id; returns `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(password, nonce, cost)
  const costText = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${costText}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/**
 * Whether a password matches a hash. Uses the cost stored in the hash, so that raising `COST` does
 * not invalidate existing hashes. Without a hash it returns false after the same time.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, , , parameters = '', nonce = '', tag = ''] = (hash ?? '').split('$')
  const [memory = 0, passes = 0, parallelism = 0] = parameters
    .split(',')
    .map((one) => Number(one.slice(2)))
  const expected = Buffer.from(tag, 'base64url')
  const found = hash
    ? await derive(password, Buffer.from(nonce, 'base64url'), { memory, passes, parallelism })
    : await derive(password, Buffer.alloc(16), COST)
  return expected.length === found.length && timingSafeEqual(expected, found)
}
