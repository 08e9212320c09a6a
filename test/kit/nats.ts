import { spawn } from 'node:child_process'
import { findPort } from './process.ts'

/** Starts a nats-server on loopback, at a free port or at `at`, with these options. */
export async function startNats(
  binary: string,
  at?: number,
  options: string[] = [],
): Promise<{ url: string; stop(): Promise<void> }> {
  const port = at ?? (await findPort())
  const child = spawn(binary, ['-a', '127.0.0.1', '-p', String(port), ...options], {
    stdio: 'pipe',
  })
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Server is ready')) resolve()
    })
    child.once('exit', () =>
      reject(new Error(`nats-server on port ${port} exited before it was ready`)),
    )
  })
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}
