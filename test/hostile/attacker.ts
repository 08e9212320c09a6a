// Runs one attack in a separate process, so that it does not slow the measurements. Stops on its parent's next message.
import { once } from 'node:events'
import { ATTACKS } from './attacks.ts'
import type { Target } from './world.ts'

type Order = { name: string; target: Target }

const [{ name, target }] = (await once(process, 'message')) as [Order]
const attack = ATTACKS[name]
if (!attack) throw new Error(`unknown attack: ${name}`)

const statuses: Record<string, number> = {}
const act = await attack.prepare(target)
let working = true
process.once('disconnect', () => process.exit(0))
process.once('message', () => {
  working = false
  process.send?.({ statuses })
  process.disconnect()
  process.exit(0)
})
process.send?.('ready')

let count = 0
async function work(): Promise<void> {
  while (working) {
    const status = await act(count++).catch(() => 'connection lost')
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}
await Promise.all(Array.from({ length: attack.concurrency }, work))
