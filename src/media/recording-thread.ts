// Reads recordings in a thread of its own, which `measure-recording.ts` starts and ends.
import { parentPort } from 'node:worker_threads'
import { parseFile } from 'music-metadata'
import type { Recording } from './measure-recording.ts'

parentPort?.on('message', async (path: string) => {
  try {
    const { format } = await parseFile(path, { duration: true, skipCovers: true })
    const { codec = null, duration = null } = format
    parentPort?.postMessage({ codec, duration } satisfies Recording)
  } catch (error) {
    parentPort?.postMessage(String(error))
  }
})
