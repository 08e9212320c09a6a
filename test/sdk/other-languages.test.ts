// The clients for Python and PHP against a real server.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it } from 'node:test'
import { request } from 'undici'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const folder = (name: string) => fileURLToPath(new URL(`../../packages/${name}`, import.meta.url))
const ANA = '+55 11 98888-7777'
const SENDS = 10
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const PYTHON = `
import json, os, sys
sys.path.insert(0, os.environ["FOLDER"])
from recado import ApiError, Recado, RecadoError, SignatureError, verify_webhook
given = json.load(sys.stdin)
recado = Recado(given["key"], given["url"], headers={"Host": given["host"]})
sent = [recado.send_text(given["id"], given["to"], f"pedido {n}")["id"] for n in range(given["sends"])]
texts = [item["text"] for item in recado.messages(given["id"], limit=3)]
try:
    recado.message(given["id"], "msg_x")
except ApiError as failure:
    missing = [failure.status, failure.code]
hook = given["hook"]
event = verify_webhook(hook["text"].encode(), hook["headers"], hook["secret"], now=hook["now"])
try:
    verify_webhook(hook["text"].encode() + b" ", hook["headers"], hook["secret"], now=hook["now"])
    forged = "accepted"
except SignatureError:
    forged = "rejected"
mode = recado.me()["mode"]
made = recado.create_instance("Filial")["id"]
direct = Recado(given["key"], given["direct"], headers={"Host": given["host"]})
calls = {
    "media": [recado.send_media(given["id"], given["to"], "image", {"base64": given["png"]}, idempotency_key="foto-1", caption="Foto")["id"] for _ in range(2)],
    "instances": sorted(one["name"] for one in recado.instances()),
    "instance": recado.instance(made)["status"],
    "exists": [one["exists"] for one in recado.check_contacts(given["id"], [given["friend"]])["items"]],
    "read": recado.mark_read(given["id"], given["unread"]),
    "webhook": direct.create_webhook("CRM", given["hookUrl"], ["message.received"])["events"],
}
try:
    Recado(given["key"], given["page"], max_retries=0).me()
except ApiError as failure:
    calls["page"] = str(failure)
try:
    Recado(given["key"], given["redirect"], max_retries=0).send_text(given["id"], given["to"], "x")
except ApiError as failure:
    calls["redirected"] = str(failure)
try:
    Recado(given["key"], given["redirect"], max_retries=0).me()
except ApiError as failure:
    calls["login"] = str(failure)
try:
    verify_webhook(b"{}", hook["headers"], "whsec_abcde", now=hook["now"])
except SignatureError as failure:
    calls["badSecret"] = str(failure)
for n in range(7):
    direct.create_webhook(f"w{n}", given["hookUrl"])
shrinking = 0
for one in direct.pages("/v1/webhooks", {"limit": 3}):
    direct.call("DELETE", f"/v1/webhooks/{one['id']}")
    shrinking += 1
calls["shrinking"] = [shrinking, len(list(direct.pages("/v1/webhooks")))]
try:
    Recado(given["key"], given["page"] + "/200", max_retries=0).me()
except ApiError as failure:
    calls["foreign"] = str(failure)
try:
    Recado(given["key"] + "\\n")
except RecadoError as failure:
    calls["keyWithBreak"] = str(failure)
calls["refused"] = []
for attempt in [
    lambda: Recado("svc_test_…"),
    lambda: recado.send_text(None, given["to"], "x"),
    lambda: recado.send_text(given["id"], given["to"], "x", idempotency_key="a\\r\\nX-Injected: yes"),
    lambda: verify_webhook(b"{}", {**hook["headers"], "webhook-timestamp": "9" * 5000}, hook["secret"]),
    lambda: verify_webhook(b"{}", None, hook["secret"]),
    lambda: verify_webhook(given["notJson"]["body"], given["notJson"]["headers"], given["notJson"]["secret"], now=1700000000),
]:
    try:
        attempt()
    except RecadoError as failure:
        calls["refused"].append(type(failure).__name__)
print(json.dumps({"calls": calls, "sent": sent, "texts": texts, "missing": missing, "event": event["event"], "forged": forged, "mode": mode}))
`
const PHP = `
spl_autoload_register(fn ($name) => require getenv('FOLDER') . '/src/' . substr($name, strlen('Recado\\\\')) . '.php');
$given = json_decode(stream_get_contents(STDIN), true);
$recado = new Recado\\Recado($given['key'], $given['url'], headers: ['Host' => $given['host']]);
$sent = [];
for ($n = 0; $n < $given['sends']; $n++) {
    $sent[] = $recado->sendText($given['id'], $given['to'], "pedido {$n}")['id'];
}
$texts = [];
foreach ($recado->messages($given['id'], ['limit' => 3]) as $item) { $texts[] = $item['text']; }
try { $recado->message($given['id'], 'msg_x'); } catch (Recado\\ApiException $failure) { $missing = [$failure->status, $failure->errorCode]; }
$hook = $given['hook'];
$event = Recado\\Webhook::verify($hook['text'], $hook['headers'], $hook['secret'], $hook['now']);
try { Recado\\Webhook::verify($hook['text'] . ' ', $hook['headers'], $hook['secret'], $hook['now']); $forged = 'accepted'; }
catch (Recado\\SignatureException) { $forged = 'rejected'; }
$notification = new class { public string $id = 'notificacao-1'; public function toRecado($who) { return 'pela fila'; } };
$ana = new class($given['to']) { public function __construct(private string $to) {} public function routeNotificationFor($channel) { return $this->to; } };
$channel = new Recado\\RecadoChannel($recado, $given['id']);
$queued = [$channel->send($ana, $notification)['id'], $channel->send($ana, $notification)['id']];
$made = $recado->createInstance('Filial')['id'];
$photo = fn () => $recado->sendMedia($given['id'], $given['to'], 'image', ['base64' => $given['png']], ['caption' => 'Foto'], 'foto-1')['id'];
$names = array_map(fn ($one) => $one['name'], iterator_to_array($recado->instances(), false));
sort($names);
$calls = [
    'media' => [$photo(), $photo()],
    'instances' => $names,
    'instance' => $recado->instance($made)['status'],
    'exists' => array_column($recado->checkContacts($given['id'], [$given['friend']])['items'], 'exists'),
    'read' => $recado->markRead($given['id'], $given['unread']),
];
$direct = new Recado\\Recado($given['key'], $given['direct'], headers: ['Host' => $given['host']]);
$calls['webhook'] = $direct->createWebhook('CRM', $given['hookUrl'], ['message.received'])['events'];
try { (new Recado\\Recado($given['key'], $given['page'], maxRetries: 0))->me(); }
catch (Recado\\ApiException $failure) { $calls['page'] = $failure->getMessage(); }
try { (new Recado\\Recado($given['key'], $given['redirect'], maxRetries: 0))->sendText($given['id'], $given['to'], 'x'); }
catch (Recado\\ApiException $failure) { $calls['redirected'] = $failure->getMessage(); }
try { (new Recado\\Recado($given['key'], $given['redirect'], maxRetries: 0))->me(); }
catch (Recado\\ApiException $failure) { $calls['login'] = $failure->getMessage(); }
try { Recado\\Webhook::verify('{}', $hook['headers'], 'whsec_abc*e', $hook['now']); }
catch (Recado\\SignatureException $failure) { $calls['badSecret'] = $failure->getMessage(); }
for ($n = 0; $n < 7; $n++) { $direct->createWebhook("w{$n}", $given['hookUrl']); }
$shrinking = 0;
foreach ($direct->pages('/v1/webhooks', ['limit' => 3]) as $one) {
    $direct->call('DELETE', '/v1/webhooks/' . $one['id']);
    $shrinking++;
}
$calls['shrinking'] = [$shrinking, count(iterator_to_array($direct->pages('/v1/webhooks'), false))];
try { (new Recado\\Recado($given['key'], $given['page'] . '/200', maxRetries: 0))->me(); }
catch (Recado\\ApiException $failure) { $calls['foreign'] = $failure->getMessage(); }
try { new Recado\\Recado($given['key'] . "\\n"); }
catch (Recado\\RecadoException $failure) { $calls['keyWithBreak'] = $failure->getMessage(); }
$calls['refused'] = [];
foreach ([
    fn () => new Recado\\Recado('svc_test_…'),
    fn () => $recado->sendText('', $given['to'], 'x', "a\\r\\nX-Injected: yes"),
    fn () => $recado->sendText($given['id'], $given['to'], 'x', "a\\r\\nX-Injected: yes"),
    fn () => Recado\\Webhook::verify('{}', ['webhook-timestamp' => str_repeat('9', 5000)] + $hook['headers'], $hook['secret']),
    fn () => Recado\\Webhook::verify('{}', [], $hook['secret']),
    fn () => Recado\\Webhook::verify($given['notJson']['body'], $given['notJson']['headers'], $given['notJson']['secret'], 1700000000),
] as $attempt) {
    try { $attempt(); } catch (Recado\\RecadoException $failure) { $calls['refused'][] = basename(str_replace('\\\\', '/', $failure::class)); }
}
echo json_encode(['calls' => $calls, 'sent' => $sent, 'texts' => $texts, 'missing' => $missing, 'event' => $event['event'], 'forged' => $forged, 'mode' => $recado->me()['mode'], 'queued' => $queued]);
`

/** Laravel's own notifications, as Debian packages them. */
const ILLUMINATE = '/usr/share/php/Illuminate'
const LARAVEL = `
// Debian's Laravel is older than its PHP, which reports what it deprecates.
error_reporting(E_ALL & ~E_DEPRECATED);
require '${ILLUMINATE}/Notifications/autoload.php';
require '${ILLUMINATE}/Events/autoload.php';
spl_autoload_register(fn ($name) => str_starts_with($name, 'Recado\\\\')
    ? require getenv('FOLDER') . '/src/' . substr($name, strlen('Recado\\\\')) . '.php' : null);
use Illuminate\\Container\\Container;
use Illuminate\\Notifications\\{ChannelManager, Notification, RoutesNotifications, SendQueuedNotifications};
use Recado\\{Recado, RecadoChannel};
$given = json_decode(stream_get_contents(STDIN), true);
$app = new Container;
Container::setInstance($app);
$app->instance('config', new Illuminate\\Support\\Fluent());
$app->instance('events', new Illuminate\\Events\\Dispatcher($app));
$app->alias('events', Illuminate\\Contracts\\Events\\Dispatcher::class);
$app->singleton(Illuminate\\Contracts\\Bus\\Dispatcher::class, fn ($app) => new Illuminate\\Bus\\Dispatcher($app));
$app->singleton(RecadoChannel::class, fn () => new RecadoChannel(
    new Recado($given['key'], $given['url'], headers: ['Host' => $given['host']]), $given['id']));
class Customer {
    use RoutesNotifications;
    public function __construct(private ?string $phone) {}
    public function getKey() { return 1; }
    public function routeNotificationForRecado($notification) { return $this->phone; }
}
class OrderSent extends Notification {
    public function via($who) { return [RecadoChannel::class]; }
    public function toRecado($who) { return 'Seu pedido saiu para entrega.'; }
}
$manager = new ChannelManager($app);
$manager->send([new Customer($given['to']), new Customer(null)], new OrderSent);
// A worker that fails after sending runs the stored job again.
$queued = new OrderSent;
$queued->id = 'b1946ac9-2492-4d23-8d3a-111111111111';
$job = serialize(new SendQueuedNotifications(collect([new Customer($given['to'])]), $queued, [RecadoChannel::class]));
for ($n = 0; $n < 2; $n++) { unserialize($job)->handle($manager); }
echo json_encode([]);
`

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** Starts a server at any free port; it ends with its scope. */
async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Redirects every request to another server, which records what it receives. */
async function startRedirect() {
  const received: string[] = []
  const other = await listen(
    createServer((incoming, response) => {
      received.push(`${incoming.method} ${incoming.headers.authorization ?? ''}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}')
    }),
  )
  const server = await listen(
    createServer(({ url = '' }, response) => {
      const location = url.endsWith('/me') ? '/login' : `${other.url}${url}`
      response.writeHead(301, { location }).end()
    }),
  )
  return {
    url: server.url,
    received,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
    },
  }
}

/** Forwards requests to the server, and cuts the first response to each POST: before its head or in its body. */
async function startUnreliableProxy() {
  const seen = new Set<string>()
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray())
    const { connection: _, 'content-length': __, ...headers } = incoming.headers
    const response = await request(`http://127.0.0.1:${kit.port}${incoming.url}`, {
      method: incoming.method as 'GET',
      headers,
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await response.body.text()
    const key = String(incoming.headers['idempotency-key'])
    if (incoming.method === 'POST' && !seen.has(key)) {
      seen.add(key)
      if (seen.size % 2 === 0) {
        outgoing.writeHead(response.statusCode, { 'content-length': text.length })
        outgoing.write(text.slice(0, 20), () => incoming.socket.destroy())
      } else incoming.socket.destroy()
      return
    }
    outgoing.writeHead(response.statusCode, {
      'x-request-id': String(response.headers['x-request-id']),
      'content-type': String(response.headers['content-type'] ?? 'text/plain'),
      connection: 'close',
    })
    outgoing.end(text)
  })
  return listen(server)
}

/** Starts a proxy whose server is away: every response is a page. */
async function startGatewayPage() {
  const server = createServer(({ url }, response) =>
    // Another program, which answers everything.
    url?.startsWith('/200')
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
      : response.writeHead(502).end('<h1>Bad Gateway</h1>'),
  )
  return listen(server)
}

const PYTHON_AWAY = `
import json, os, sys
sys.path.insert(0, os.environ["FOLDER"])
from recado import Recado, RecadoError
try:
    Recado("svc_test_" + "x" * 40, max_retries=0).send_text("ins_x", "5511988887777", "oi")
except RecadoError as failure:
    print(json.dumps({"message": str(failure), "key": failure.idempotency_key}))
`
// Frameworks such as Laravel turn warnings into exceptions with a handler of their own.
const PHP_AWAY = `
spl_autoload_register(fn ($name) => require getenv('FOLDER') . '/src/' . substr($name, strlen('Recado\\\\')) . '.php');
set_error_handler(function ($level, $message) { if (error_reporting() & $level) throw new ErrorException($message); return true; });
try {
    (new Recado\\Recado('svc_test_' . str_repeat('x', 40), maxRetries: 0))->sendText('ins_x', '5511988887777', 'oi');
} catch (Recado\\RecadoException $failure) {
    echo json_encode(['message' => $failure->getMessage(), 'key' => $failure->idempotencyKey]);
}
`

/** Runs a program with `input` as JSON; resolves with its output, parsed. */
async function runClient(program: string, args: string[], home: string, input: object) {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', FOLDER: home, PYTHONDONTWRITEBYTECODE: '1' },
  })
  child.stdin.end(JSON.stringify(input))
  const [output, errors, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  assert.equal(code, 0, Buffer.concat(errors).toString() + Buffer.concat(output).toString())
  return JSON.parse(Buffer.concat(output).toString()) as {
    sent: string[]
    texts: string[]
    missing: [number, string]
    event: string
    forged: string
    mode: string
    queued?: string[]
    calls: {
      media: string[]
      instances: string[]
      instance: string
      exists: boolean[]
      read: object
      webhook: string[]
      page: string
      redirected: string
      login: string
      badSecret: string
      shrinking: number[]
      foreign: string
      keyWithBreak: string
      refused: string[]
    }
  }
}

/** A text that is signed like a delivery. */
function signText(body: string) {
  const secret = Buffer.alloc(32, 7)
  const [id, timestamp] = ['msg_1', '1700000000']
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    body,
    secret: `whsec_${secret.toString('base64')}`,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${mac}`,
    },
  }
}

describe('clients for other languages', () => {
  it('the clients do not retry a POST that ignores Idempotency-Key, on any path', () => {
    const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, { post?: { parameters?: object[] } }>
    }
    const python = readFileSync(join(folder('python'), 'recado/__init__.py'), 'utf8')
    const php = readFileSync(join(folder('php'), 'src/Recado.php'), 'utf8')
    const patterns = [
      /ONCE = re\.compile\(r"(.*)"\)/.exec(python),
      /ONCE = '~(.*)~'/.exec(php),
    ].map((match) => new RegExp(match?.[1] ?? '^$'))
    for (const [path, { post }] of Object.entries(document.paths)) {
      // Only people sign in and create keys.
      if (!post || /^\/v1\/(auth|keys)/.test(path)) continue
      const honors = JSON.stringify(post.parameters ?? []).includes('Idempotency')
      for (const once of patterns) assert.equal(once.test(path), !honors, path)
    }
  })

  for (const [language, program, args] of [
    ['python', 'python3', ['-c', PYTHON]],
    ['php', 'php', ['-r', PHP]],
  ] as const) {
    it(`the ${language} client sends each message once over a connection that is cut, lists, and verifies deliveries`, async () => {
      await using proxy = await startUnreliableProxy()
      await using page = await startGatewayPage()
      await using redirect = await startRedirect()
      const api = await kit.key(await kit.project())
      const { id, base, phone } = await kit.pair(api)
      const endpoint = await kit.receiver()
      const { body: webhook } = await api.post('/v1/webhooks', { name: 'ERP', url: endpoint.url })
      await api.post(`${base}/messages/text`, { to: ANA, text: 'primeira' })
      const friend = await kit.phone(api)
      const { body: written } = await api.post(`${friend.base}/messages`, { to: phone, text: 'oi' })
      await kit.settle()
      const delivery = endpoint.received[0]
      const result = await runClient(program, [...args], folder(language), {
        key: api.key,
        url: proxy.url,
        host: HOSTS.test,
        id,
        to: ANA,
        sends: SENDS,
        direct: `http://127.0.0.1:${kit.port}`,
        page: page.url,
        redirect: redirect.url,
        png: PNG,
        friend: friend.phone,
        unread: [written.waMessageId],
        hookUrl: endpoint.url,
        notJson: signText('oi'),
        hook: {
          text: delivery?.text,
          headers: delivery?.headers,
          secret: webhook.secret,
          now: Math.floor(kit.clock.now() / 1000),
        },
      })
      assert.equal(new Set(result.sent).size, SENDS)
      const expected = Array.from({ length: SENDS }, (_, n) => `pedido ${SENDS - 1 - n}`)
      assert.deepEqual(result.texts, [...expected, 'oi', 'primeira'])
      assert.deepEqual(result.missing, [404, 'NOT_FOUND'])
      assert.equal(result.event, delivery?.body.event)
      assert.deepEqual([result.forged, result.mode], ['rejected', 'test'])
      const { media, page: sentence, read, redirected, badSecret, ...others } = result.calls
      const { shrinking, foreign, keyWithBreak, refused, login, ...calls } = others
      assert.equal(new Set(media).size, 1, 'one Idempotency-Key, one message')
      assert.deepEqual(calls, {
        instances: ['Atendimento', 'Filial'],
        instance: 'CREATED',
        exists: [true],
        webhook: ['message.received'],
      })
      assert.deepEqual(read, { waMessageIds: [written.waMessageId] })
      assert.match(redirected, /redireciona para http:\/\/127\.0\.0\.1:\d+: use/)
      assert.match(login, /redireciona para outra página, e não é o Recado: confira base_?url/i)
      assert.deepEqual(shrinking, [9, 0])
      assert.match(foreign, /a resposta 200 não é do Recado: confira se base_?url/i)
      assert.match(keyWithBreak, /^api_?key: informe a chave de API inteira/i)
      const [own, signature] =
        language === 'php'
          ? ['RecadoException', 'SignatureException']
          : ['RecadoError', 'SignatureError']
      assert.deepEqual(refused, [own, own, own, signature, signature, signature])
      assert.deepEqual(redirect.received, [])
      assert.match(badSecret, /o segredo do webhook começa com whsec_/)
      assert.match(sentence, /a resposta 502 não é do Recado: confira se base_?url/i)
      if (result.queued) assert.equal(new Set(result.queued).size, 1)
    })
  }

  it("Laravel's notifications go through the channel, and a job that is retried sends nothing twice", async () => {
    await using proxy = await startUnreliableProxy()
    const api = await kit.key(await kit.project())
    const { id, base } = await kit.pair(api)
    await runClient('php', ['-r', LARAVEL], folder('php'), {
      key: api.key,
      url: proxy.url,
      host: HOSTS.test,
      id,
      to: ANA,
    })
    const { body } = await api.get(`${base}/messages`)
    const texts = (body.items as { text: string }[]).map(({ text }) => text)
    assert.deepEqual(texts, ['Seu pedido saiu para entrega.', 'Seu pedido saiu para entrega.'])
  })

  for (const [language, program, flag, script] of [
    ['Python', 'python3', '-c', PYTHON_AWAY],
    ['PHP', 'php', '-r', PHP_AWAY],
  ] as const) {
    it(`the client for ${language} calls RECADO_URL, and says that a call which found no server was not made`, async () => {
      const child = spawn(program, [flag, script], {
        env: {
          PATH: process.env['PATH'] ?? '',
          FOLDER: folder(language.toLowerCase()),
          PYTHONDONTWRITEBYTECODE: '1',
          RECADO_URL: 'http://127.0.0.1:9',
        },
      })
      const output = Buffer.concat(await child.stdout.toArray()).toString()
      const { message, key } = JSON.parse(output) as { message: string; key: string | null }
      assert.match(message, /127\.0\.0\.1:9.*refused/)
      assert.doesNotMatch(message, /pode ter sido feita/)
      assert.equal(key, null)
    })
  }
})
