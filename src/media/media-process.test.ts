import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import sharp from 'sharp'
import { image, pixelBomb, voice } from '../../test/kit/files.ts'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createVoiceFitter } from './fit-voice.ts'
import { measureRecording } from './inspect-file.ts'
import { MediaProblem } from './media-problem.ts'
import { createMediaProcess } from './media-process.ts'
import type { Stage } from './stage-file.ts'
import type { StagedFile } from './store.port.ts'

const dir = mkdtempSync(join(tmpdir(), 'recado-recordings-'))
after(() => rmSync(dir, { recursive: true }))
const file = (name: string, bytes: Buffer) => {
  writeFileSync(join(dir, name), bytes)
  return join(dir, name)
}
const spoken = file('voice.ogg', voice())
const garbage = file('garbage.mp4', Buffer.alloc(1000, 0xff))

/** An animation of a square of `side` pixels that is white and red in turns. */
function flashing(side: number, frames: number) {
  const size = side * side * 4
  const pixels = Buffer.alloc(frames * size, 255)
  for (let frame = 1; frame < frames; frame += 2)
    pixels.fill(Buffer.from([200, 10, 0, 255]), frame * size, (frame + 1) * size)
  const raw = { width: side, height: frames * side, channels: 4 as const, pageHeight: side }
  return sharp(pixels, { raw, limitInputPixels: false })
}

describe('the media process', () => {
  it('the media process reads codec and duration, and rejects other files', async () => {
    const media = createMediaProcess(createManualClock())
    assert.deepEqual(await media.run('prj_1', 'recording', { path: spoken }), {
      codec: 'Opus',
      duration: 1,
    })
    await assert.rejects(media.run('prj_1', 'recording', { path: garbage }))
    assert.equal((await media.run('prj_1', 'recording', { path: spoken })).codec, 'Opus')
    await media.close()
  })

  it('a fault of the machine while a recording is read is not reported as a fault of the recording', async () => {
    const fault = new Error('spawn EAGAIN')
    const refuses = () => Promise.reject(fault)
    const stored = { path: spoken, sizeBytes: 1, sha256: '' } as StagedFile
    const media = { ...createMediaProcess(createManualClock()), run: refuses }
    const voices = createVoiceFitter({} as Stage, media)
    await assert.rejects(voices.fit('prj_1', stored, 'audio/ogg'), fault)
    await assert.rejects(measureRecording(stored, 'audio/ogg', true, refuses), fault)
    await media.close()
  })

  it('the media process rejects a pixel bomb, and converts an image that phones cannot display', async () => {
    const media = createMediaProcess(createManualClock())
    const job = (name: string, bytes: Buffer, mimeType: string) => ({
      path: file(name, bytes),
      mimeType,
      sizeBytes: bytes.length,
      as: 'photo' as const,
      output: join(dir, `${name}.out`),
    })
    const bomb = job('bomb.png', await pixelBomb(), 'image/png')
    await assert.rejects(
      media.run('prj_1', 'image', bomb),
      (error) => error instanceof MediaProblem && error.kind === 'too_large',
    )
    const webp = job('a.webp', await image('webp', 40, 30), 'image/webp')
    const { thumbnail, ...fitted } = await media.run('prj_1', 'image', webp)
    assert.deepEqual(fitted, { converted: 'image/jpeg', width: 40, height: 30 })
    const { format, width } = await sharp(Buffer.from(thumbnail ?? '', 'base64')).metadata()
    assert.deepEqual([format, width], ['jpeg', 40])
    await media.close()
  })

  it('a small animation that would grow too large is no sticker, and a ready-made one of many frames is', async () => {
    const media = createMediaProcess(createManualClock())
    const sticker = (name: string, bytes: Buffer, mimeType: string) => ({
      path: file(name, bytes),
      mimeType,
      sizeBytes: bytes.length,
      as: 'sticker' as const,
      output: join(dir, `${name}.out`),
    })
    const tiny = sticker('tiny.gif', await flashing(1, 100).gif().toBuffer(), 'image/gif')
    await assert.rejects(
      media.run('prj_1', 'image', tiny),
      (error) => error instanceof MediaProblem && error.kind === 'too_large',
    )
    const made = await flashing(512, 75).webp({ quality: 20, effort: 0 }).toBuffer()
    const ready = await media.run('prj_1', 'image', sticker('ready.webp', made, 'image/webp'))
    assert.deepEqual([ready.converted, ready.width, ready.height], [null, 512, 512])
    await media.close()
  })

  it('the media process abandons a slow file, and reads the next in a new process', async () => {
    const clock = createManualClock()
    const media = createMediaProcess(clock)
    const slow = assert.rejects(
      media.run('prj_1', 'recording', { path: spoken }),
      /no answer within/,
    )
    const next = media.run('prj_2', 'recording', { path: spoken })
    clock.jump(30_000)
    await slow
    assert.equal((await next).codec, 'Opus')
    await media.close()
  })

  it('a new media process starts after an idle one has ended', async () => {
    const clock = createManualClock()
    const media = createMediaProcess(clock)
    await media.run('prj_1', 'recording', { path: spoken })
    clock.jump(120_000)
    assert.equal((await media.run('prj_1', 'recording', { path: spoken })).codec, 'Opus')
    await media.close()
  })

  it('the media process retries a job whose process was killed', async () => {
    const media = createMediaProcess(createManualClock())
    const children = () =>
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const before = children()
    await media.run('prj_1', 'recording', { path: spoken })
    const [child] = children().filter((pid) => !before.includes(pid))
    const next = media.run('prj_1', 'recording', { path: spoken })
    process.kill(Number(child), 'SIGKILL')
    assert.equal((await next).codec, 'Opus')
    await media.close()
  })
  it('a closed media process starts no other process for the job that it ended', async () => {
    const media = createMediaProcess(createManualClock())
    const children = () =>
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
    const before = children()
    const running = media.run('prj_1', 'recording', { path: spoken })
    const ended = assert.rejects(running, /exited/)
    await new Promise((resolve) => setImmediate(resolve))
    await media.close()
    await ended
    const left = children().filter((pid) => !before.includes(pid))
    assert.deepEqual(left, [])
  })
})
