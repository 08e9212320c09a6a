// The short form of `npm run test:faults`: every acknowledged message arrives, whatever is done to the processes.
import { describe, it } from 'node:test'
import { assertNothingLost, crashPostgres, killServer, stopServer } from '../faults/faults.ts'
import { createWorld } from '../faults/world.ts'

describe('a server under load', () => {
  it('a server under load loses nothing to kill -9, SIGTERM and a crash of PostgreSQL, and repeats only what was in flight', async () => {
    await using world = await createWorld()
    await world.waitForMore(150)
    const inFlight = await killServer(world)
    await world.waitForMore(150)
    await stopServer(world)
    await world.waitForMore(150)
    await crashPostgres(world)
    await world.waitForMore(150)
    await assertNothingLost(world, inFlight)
  })
})
