// The protocol's own conformance suite against POST /mcp. `npm run check:mcp` brings the suite, which no test of
// `npm test` needs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const RUN_TIMEOUT_MS = 120_000
/** The time that one request takes of the pace of a Project, which allows twenty a second. */
const PACE_MS = 50

/** The scenarios that concern a stateless server of tools; the others call the example tools of the suite's own server. */
const SCENARIOS: Record<string, string[]> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
}

/** The checks in these scenarios that do not apply, by the reason. */
const NOT_APPLICABLE = {
  'needs an example tool': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  'subscriptions are refused (ADR 51)': [
    'sep-2575-server-sends-subscription-ack',
    'sep-2575-server-tags-subscription-id',
  ],
  'no prompts and no resources': [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
}

type Check = { id: string; status: string; errorMessage?: string }

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** Starts a proxy that adds the key, which the suite cannot send, and the sandbox's host name. */
async function startProxy(key: string) {
  const proxy = createServer((incoming, outgoing) => {
    // The suite makes more requests than one Project may at once, and the test's clock stands still.
    kit.clock.jump(PACE_MS)
    const { port } = proxy.address() as AddressInfo
    // Only this proxy's own name is replaced, so that foreign names stay foreign.
    const translate = (text?: string) => text?.replace(`127.0.0.1:${port}`, HOSTS.test)
    const { host, origin, ...others } = incoming.headers
    const headers = { ...others, host: translate(host), authorization: `Bearer ${key}` }
    const passed = request(
      {
        host: '127.0.0.1',
        port: kit.port,
        path: incoming.url,
        method: incoming.method,
        headers: origin === undefined ? headers : { ...headers, origin: translate(origin) },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

/** Runs the suite for one revision of the protocol; returns the checks of each scenario. */
async function runSuite(url: string, revision: string): Promise<Map<string, Check[]>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recado-mcp-'))
  try {
    const options = ['server', '--url', url, '--requirements', revision, '-o', folder]
    // It fails when any scenario does, including those that do not concern this server.
    await new Promise<void>((resolve) => {
      execFile('conformance', options, { timeout: RUN_TIMEOUT_MS }, () => resolve())
    })
    const checks = new Map<string, Check[]>()
    for (const name of await readdir(folder)) {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      const text = await readFile(path.join(folder, name, 'checks.json'), 'utf8')
      checks.set(scenario, JSON.parse(text) as Check[])
    }
    return checks
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('the conformance suite of the Model Context Protocol', () => {
  for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
    it(`finds no fault in the server of tools for revision ${revision}`, async () => {
      const { key } = await kit.key(await kit.project())
      const proxy = await startProxy(key)
      const checks = await runSuite(proxy.url, revision).finally(() => proxy.close())
      const excused = new Set(Object.values(NOT_APPLICABLE).flat())
      for (const scenario of scenarios) {
        const found = checks.get(scenario) ?? []
        const passed = found.filter(({ status }) => status === 'SUCCESS')
        const failed = found.filter(({ id, status }) => status === 'FAILURE' && !excused.has(id))
        assert.deepEqual(failed, [], scenario)
        assert.ok(passed.length > 0, `${scenario} checked nothing`)
      }
    })
  }
})
