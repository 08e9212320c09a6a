import type { FastifyReply, FastifyRequest } from 'fastify'
import type { originValidation as OriginValidation } from '@modelcontextprotocol/fastify'
import type { Config } from '../../kernel/config/config.ts'
import { fail } from '../../kernel/phrases/fail.ts'

/** Characters of a refused origin that its error repeats. */
const SHOWN = 100

/**
 * Returns the check of a request's Origin, which only browsers send. It prevents DNS rebinding: a page's own host name is
 * never one of this server's names. Throws 403 for any other.
 */
export function createOriginCheck(
  config: Pick<Config, 'publicUrl' | 'sandboxUrl'>,
): (request: FastifyRequest) => Promise<void> {
  const names = [config.publicUrl, config.sandboxUrl].map((url) => new URL(url).hostname)
  let loaded: Promise<ReturnType<typeof OriginValidation>> | null = null
  return async (request) => {
    const { origin } = request.headers
    if (origin === undefined) return
    loaded ??= import('@modelcontextprotocol/fastify').then(({ originValidation }) =>
      originValidation(names),
    )
    // The library replies in English; the API's errors are in the language of the caller.
    const refuse = () => {
      throw fail('forbidden', (say) => say.mcp.foreignOrigin(origin.slice(0, SHOWN)))
    }
    const check = await loaded
    await check(request, { code: () => ({ send: refuse }) } as unknown as FastifyReply)
  }
}
