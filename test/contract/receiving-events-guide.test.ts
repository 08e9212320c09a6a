// The guide to receiving events: its snippets verify our signatures and its payloads match the events we send.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { deliveryHeaders } from '../../src/events/deliveries/sign-delivery.ts'
import { catalog } from '../../src/events/catalog/index.ts'
import { describeEvents } from '../../src/platform/http/openapi.ts'
import { signingKeys } from '../../src/events/webhooks/webhooks.service.ts'

const guide = readFileSync(
  fileURLToPath(new URL('../../docs/receiving-events.md', import.meta.url)),
  'utf8',
)
const dir = mkdtempSync(join(tmpdir(), 'recado-snippets-'))
after(() => rmSync(dir, { recursive: true }))

/** How to run each language's snippet with (secret, signature, body file); the program prints 1 if valid, else 0. */
const LANGUAGES: Record<
  string,
  { program: string; args: string[]; file: string; main: string; inside?: string }
> = {
  ts: {
    program: process.execPath,
    args: [],
    file: 'snippet.ts',
    main: `import { readFileSync } from 'node:fs'
const [secret = '', signature = '', file = ''] = process.argv.slice(2)
process.stdout.write(verify(secret, signature, readFileSync(file)) ? '1' : '0')`,
  },
  python: {
    program: 'python3',
    args: [],
    file: 'snippet.py',
    main: `import sys
print(1 if verify(sys.argv[1], sys.argv[2], open(sys.argv[3], "rb").read()) else 0, end="")`,
  },
  php: {
    program: 'php',
    args: [],
    file: 'snippet.php',
    main: `echo verify($argv[1], $argv[2], file_get_contents($argv[3])) ? 1 : 0;`,
  },
  go: {
    program: 'go',
    args: ['run'],
    file: 'snippet.go',
    inside: '\t"fmt"\n\t"os"\n',
    main: `func main() {
	body, _ := os.ReadFile(os.Args[3])
	if verify(os.Args[1], os.Args[2], body) { fmt.Print(1) } else { fmt.Print(0) }
}`,
  },
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = Buffer.from('{"event":"message.received","data":{"text":"Olá, está aí? 👍"}}')
const headers = deliveryHeaders({
  webhookId: 'whk_1',
  event: { id: 'evt_1', name: 'message.received' },
  body,
  keys: signingKeys(secret),
  at: 0,
})
const signature = headers['x-service-signature'] ?? ''

describe('signature snippets of the guide', () => {
  for (const [language, { program, args, file, main, inside = '' }] of Object.entries(LANGUAGES)) {
    const missing = spawnSync(program, [program === 'go' ? 'version' : '--version']).error
    const skip = missing ? `install ${program} to run it` : false
    it(
      `the ${language} snippet of the guide accepts our signature and rejects any other`,
      { skip },
      () => {
        const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
        assert.ok(code, `docs/receiving-events.md has no ${language} snippet`)
        const whole = code.replace('import (\n', `import (\n${inside}`)
        writeFileSync(join(dir, file), `${whole}\n${main}\n`)
        writeFileSync(join(dir, 'body'), body)
        const run = (...words: string[]) => {
          const { stdout, stderr } = spawnSync(program, [
            ...args,
            join(dir, file),
            ...words,
            join(dir, 'body'),
          ])
          assert.equal(stderr.toString(), '')
          return stdout.toString()
        }
        assert.equal(run(secret, signature), '1')
        assert.equal(run(`${secret}x`, signature), '0')
        assert.equal(
          run(
            secret,
            signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          ),
          '0',
        )
        assert.equal(run(secret, 'sha256='), '0')
        assert.equal(run(secret, ''), '0')
      },
    )
  }
})

describe('events of the guide', () => {
  it('the guide lists every event with the same example payload as the API reference', () => {
    const examples = Object.values(describeEvents(catalog)).map(({ example }) => example)
    const shown = [...guide.matchAll(/### ([a-z]+\.[a-z]+)\n[^#]*?```json\n([^]*?)\n```/g)].map(
      ([, name, json = '']) => {
        const envelope = JSON.parse(json) as { event: string }
        assert.equal(envelope.event, name)
        return envelope
      },
    )
    assert.deepEqual(shown, examples)
  })
})
