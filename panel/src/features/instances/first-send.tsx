import { apiOrigin, firstSend, firstSendCommand, type Mode } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Snippets } from '../../ui/code.tsx'

/** A first text message from an instance: as a curl command, and in the languages that most companies use. */
function firstSendSnippets(mode: Mode, instanceId: string, text: string): Record<string, string> {
  const { path, body } = firstSend(instanceId, text)
  const origin = apiOrigin(mode)
  const url = `${origin}${path}`
  const json = JSON.stringify(body, null, 2)
  return {
    curl: firstSendCommand(mode, instanceId, text),
    'Node.js': `// npm install @recado/sdk
import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY, baseUrl: '${origin}' })
const message = await recado.messages.sendText('${instanceId}', ${json})
console.log(message.id, message.status)`,
    Python: `import os, requests

answer = requests.post(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['RECADO_KEY']}"},
    json=${json.replaceAll('\n', '\n    ')},
    timeout=30,
)
print(answer.status_code, answer.json())`,
    PHP: `<?php
$curl = curl_init('${url}');
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('RECADO_KEY'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => '${JSON.stringify(body).replaceAll("'", String.raw`\'`)}',
]);
echo curl_exec($curl);`,
  }
}

/** Code that sends a first message from an instance, ready to run. */
export function FirstSend({ instanceId }: { instanceId: string }) {
  const { mode } = usePanel()
  return (
    <section className="card" aria-labelledby="exemplo">
      <h2 id="exemplo">{t.instances.example}</h2>
      <Snippets texts={firstSendSnippets(mode, instanceId, t.phone.greeting)} />
    </section>
  )
}
