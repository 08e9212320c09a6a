import { Agent, fetch as undiciFetch } from 'undici'
import { Recado, type RecadoOptions } from '../../packages/sdk/src/index.ts'
import { HOSTS, type TestApp } from './test-app.ts'

/** Sends requests for any host to loopback, as an entry in /etc/hosts would. */
const loopback = new Agent({
  connect: { lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
})

/** A `fetch` for the hosts of the test server, which no name server knows. */
export async function fetchLocal(request: Request): Promise<Response> {
  const { url, method, headers, signal } = request
  const body = request.body ? await request.arrayBuffer() : null
  const response = await undiciFetch(url, {
    method,
    headers: [...headers],
    body,
    signal,
    dispatcher: loopback,
  })
  return response
}

/** Creates an SDK client of a test server. */
export function createSdk(
  kit: TestApp,
  apiKey: string,
  options: Partial<RecadoOptions> = {},
): Recado {
  const host = apiKey.startsWith('svc_test_') ? HOSTS.test : HOSTS.production
  const baseUrl = `http://${host}:${kit.port}`
  return new Recado({ apiKey, baseUrl, fetch: fetchLocal, ...options })
}
