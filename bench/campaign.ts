// `npm run bench -- campaign [recipients]`: one campaign without pacing, until its last
// message has its final status.
import { parseConfig } from '../src/kernel/config/config.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import { createOperator } from '../src/operations/operator.ts'
import { pairInstance, startServer } from './kit.ts'
import { print } from './load.ts'

const LINES_A_FILE = 100_000
const SAMPLE_MS = 500
/** Samples between memory readings: each reading forces a garbage collection, which slows the run. */
const MEMORY_EVERY = 10

/** Imports `recipients` recipients from CSV, runs the campaign and prints throughput and memory. */
export async function benchCampaign(recipients: number): Promise<void> {
  await using bench = await startServer()
  {
    await using storage = await openStorage(parseConfig(bench.env), 'operator')
    const { projects } = createOperator(parseConfig(bench.env), storage.database)
    const settings = { addons: ['mass_sending'] }
    await projects.set(storage.database, bench.projectId, 'addon.grant', settings)
  }
  const { id: instanceId } = await pairInstance(bench, 'campaign')
  const message = { type: 'text', text: 'Oi {{name}}, sua encomenda chegou.' }
  const made = await bench.call('POST', '/v1/campaigns', {
    name: 'bench',
    instanceIds: [instanceId],
    message,
  })
  const path = `/v1/campaigns/${String(made['id'])}`
  const importedAt = performance.now()
  for (let from = 0; from < recipients; from += LINES_A_FILE) {
    const lines = Array.from({ length: Math.min(LINES_A_FILE, recipients - from) }, (_, n) => {
      // Avoid the simulator's special numbers, which end in 0001 to 0006.
      const number = `5511${900_000_000 + (from + n) * 10 + 9}`
      return `${number},Ana ${n}`
    })
    const response = await fetch(`http://127.0.0.1:${bench.port}${path}/recipients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.key}`, 'content-type': 'text/csv' },
      body: `to,name\n${lines.join('\n')}\n`,
    })
    if (!response.ok) throw new Error(await response.text())
  }
  const importSeconds = (performance.now() - importedAt) / 1000
  print(
    `campaign: ${recipients} recipients, imported from CSV at ${(recipients / importSeconds).toFixed(0)}/s`,
  )

  const memory: number[] = [await bench.memory()]
  const startedAt = performance.now()
  await bench.call('POST', `${path}/start`)
  let counts: Record<string, number>
  for (let turn = 1; ; turn++) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    counts = (await bench.call('GET', path))['counts'] as Record<string, number>
    if ((counts['delivered'] ?? 0) + (counts['failed'] ?? 0) >= recipients) break
    if (turn % MEMORY_EVERY === 0) memory.push(await bench.memory())
  }
  const seconds = (performance.now() - startedAt) / 1000
  print(
    `messages to their final state      ${(recipients / seconds).toFixed(0).padStart(7)}/s   ` +
      `(${recipients} in ${seconds.toFixed(1)} s, ${counts['failed'] ?? 0} failed)`,
  )
  const megabytes = memory.map((bytes) => (bytes / 1048576).toFixed(0))
  print(`memory before, and every 5 s       ${megabytes.join(', ')} MB`)
}
