import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

function derive(password: string, nonce: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', { ...COST, message: password, nonce }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    )
  })
}

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(password, nonce)
  const cost = `m=${COST.memory},t=${COST.passes},p=${COST.parallelism}`
  return `$argon2id$v=19$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/** Whether the password is the hashed one. Without a hash it takes the same time and answers false. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, , , , nonce = '', tag = ''] = (hash ?? '').split('$')
  const expected = Buffer.from(tag, 'base64url')
  const found = await derive(password, hash ? Buffer.from(nonce, 'base64url') : Buffer.alloc(16))
  return expected.length === found.length && timingSafeEqual(expected, found)
}
