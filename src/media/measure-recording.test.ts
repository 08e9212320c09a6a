import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { voice } from '../../test/kit/files.ts'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createRecordingReader } from './measure-recording.ts'

const dir = mkdtempSync(join(tmpdir(), 'recado-recordings-'))
after(() => rmSync(dir, { recursive: true }))
const file = (name: string, bytes: Buffer) => {
  writeFileSync(join(dir, name), bytes)
  return join(dir, name)
}
const spoken = file('voice.ogg', voice())
const garbage = file('garbage.mp4', Buffer.alloc(1000, 0xff))

describe('the reader of recordings', () => {
  it('reads codec and duration, and rejects what is no recording', async () => {
    const reader = createRecordingReader(createManualClock())
    assert.deepEqual(await reader.read('prj_1', spoken), { codec: 'Opus', duration: 1 })
    await assert.rejects(reader.read('prj_1', garbage))
    assert.equal((await reader.read('prj_1', spoken)).codec, 'Opus')
    await reader.close()
  })

  it('gives up a file that takes too long, and reads the next in a fresh thread', async () => {
    const clock = createManualClock()
    const reader = createRecordingReader(clock)
    const slow = assert.rejects(reader.read('prj_1', spoken), /not read within/)
    const next = reader.read('prj_2', spoken)
    clock.jump(10_000)
    await slow
    assert.equal((await next).codec, 'Opus')
    await reader.close()
  })

  it('starts a new thread after an idle one has ended', async () => {
    const clock = createManualClock()
    const reader = createRecordingReader(clock)
    await reader.read('prj_1', spoken)
    clock.jump(60_000)
    assert.equal((await reader.read('prj_1', spoken)).codec, 'Opus')
    await reader.close()
  })
})
