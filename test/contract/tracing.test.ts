// Traces: what a collector of OpenTelemetry receives.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startReceiver, type Receiver } from '../kit/receiver.ts'
import { startTestApp } from '../kit/test-app.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string } }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Attribute[]
  status: { code?: number; message?: string }
  links?: { traceId: string; spanId: string }[]
}
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: Span[] }[]
  }[]
}

const CALLER = { trace: 'a'.repeat(32), span: 'b'.repeat(16) }
const SECRET = 'Bearer of the collector'

const read = (span: Pick<Span, 'attributes'>, key: string) => {
  const value = span.attributes.find((attribute) => attribute.key === key)?.value
  return value?.stringValue ?? (value ? Number(value.intValue) : undefined)
}
const spansOf = (collector: Receiver): Span[] =>
  collector.received.flatMap(({ body }) =>
    (body as Export).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )

/** Sends a message to a webhook that refuses its first delivery, receives one, and stops the server. */
async function runJourney(env: Record<string, string>) {
  const kit = await startTestApp(env)
  const api = await kit.key(await kit.project())
  const { base, phone } = await kit.pair(api)
  const { base: anaBase, phone: ana } = await kit.phone(api)
  const endpoint = await kit.receiver()
  let refused = false
  endpoint.answer = (response, { body }) => {
    const refuse = !refused && body.event === 'message.status'
    refused ||= refuse
    response.writeHead(refuse ? 500 : 200).end()
  }
  await api.post('/v1/webhooks', {
    name: 'w',
    url: endpoint.url,
    events: ['message.status', 'message.received'],
  })
  const sent = await api.post(
    `${base}/messages`,
    { to: ana, text: 'Olá' },
    { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` },
  )
  assert.equal(sent.status, 201)
  await kit.jump(2000)
  await api.post(`${anaBase}/messages`, { to: phone, text: 'Oi' })
  await kit.jump(10_000)
  const metrics = await kit.metrics()
  const { body: listed } = await api.get(`${base}/messages`)
  await kit.close()
  const received = listed.items.find((item: { direction: string }) => item.direction === 'inbound')
  return { sent: sent.body.id as string, received: received.id as string, endpoint, metrics }
}

describe('tracing', () => {
  it('a trace joins request, acceptance, send and every delivery attempt of a message', async () => {
    const collector = await startReceiver()
    const { sent, received, metrics } = await runJourney({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${SECRET.replaceAll(' ', '%20')}`,
      OTEL_SERVICE_NAME: 'recado-teste',
    })
    collector.close()
    const spans = spansOf(collector)
    const [first] = collector.received
    assert.ok(first)
    assert.equal(first.path, '/v1/traces')
    assert.equal(first.headers['authorization'], SECRET)
    const [{ resource }] = (first.body as Export).resourceSpans as [Export['resourceSpans'][0]]
    assert.equal(read({ attributes: resource.attributes }, 'service.name'), 'recado-teste')

    const accept = spans.filter(({ name }) => name === 'message.accept')
    const [root] = accept
    assert.ok(root)
    assert.equal(accept.length, 1)
    assert.equal(read(root, 'recado.message_id'), sent)
    assert.equal(root.parentSpanId, undefined)
    const below = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId)
    for (const { traceId } of below) assert.equal(traceId, root.traceId)
    const attempts = below.filter(({ name }) => name === 'webhook.deliver')
    assert.ok(below.some(({ name }) => name === 'network.send'))
    const failed = attempts.filter(({ status }) => status.code === 2)
    assert.equal(failed.length, 1)
    assert.equal(failed[0] && read(failed[0], 'http.response.status_code'), 500)
    assert.ok(attempts.some((attempt) => read(attempt, 'recado.attempt') === 2))

    const request = spans.find(({ traceId }) => traceId === CALLER.trace)
    assert.equal(request?.parentSpanId, CALLER.span)
    assert.equal(request.name, 'POST /v1/instances/:id/messages')
    assert.deepEqual(
      request.links?.map(({ traceId, spanId }) => [traceId, spanId]),
      [[root.traceId, root.spanId]],
    )

    const inbound = spans.find(({ name }) => name === 'message.receive')
    assert.equal(inbound && read(inbound, 'recado.message_id'), received)
    assert.ok(
      spans.some(
        ({ name, parentSpanId }) => name === 'webhook.deliver' && parentSpanId === inbound?.spanId,
      ),
    )
    // Probes and scrapes are not worth a span.
    assert.ok(spans.every(({ name }) => !/healthz|metrics/.test(name)))
    assert.match(
      metrics,
      /wh_attempt_seconds_bucket\{le="[^"]+"\} \d+ # \{trace_id="[0-9a-f]{32}"\}/,
    )
  })

  it('a trace carries no text, number, key or address', async () => {
    const collector = await startReceiver()
    await runJourney({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    collector.close()
    const values = spansOf(collector).flatMap(({ attributes, name, status }) => [
      ...attributes.map(({ value }) => value.stringValue ?? ''),
      name,
      status.message ?? '',
    ])
    assert.ok(values.length > 50)
    const telling = /Olá|^Oi$|svc_test_|^\+?55\d{10,11}$|127\.0\.0\.1|http:\/\//
    assert.deepEqual(
      values.filter((value) => telling.test(value)),
      [],
    )
  })

  it('tracing keeps the chosen share of traces, each one whole or not at all', async () => {
    const journey = async (share: string) => {
      const collector = await startReceiver()
      await runJourney({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: share,
      })
      collector.close()
      return spansOf(collector)
    }
    assert.deepEqual(await journey('0'), [])
    const kept: Span[] = []
    const isOfMessage = ({ name }: Span) => !/^(GET|POST|PUT|PATCH|DELETE) /.test(name)
    // Chance decides: each journey has two messages, so twenty that keep none would be one in 2^40.
    for (let count = 0; count < 20 && !(count > 4 && kept.some(isOfMessage)); count++)
      kept.push(...(await journey('0.5')))
    const ofMessages = kept.filter(isOfMessage)
    assert.ok(ofMessages.length > 0)
    const ids = new Set(kept.map(({ spanId }) => spanId))
    for (const { name, parentSpanId } of ofMessages)
      assert.ok(parentSpanId === undefined || ids.has(parentSpanId), `${name} without its root`)
  })

  it('an unreachable collector of traces delays neither sends, deliveries nor the shutdown of the server', async () => {
    const collector = await startReceiver()
    collector.close()
    const { endpoint } = await runJourney({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    assert.ok(endpoint.events('message.received').length > 0)
    assert.ok(endpoint.events('message.status').length > 1)
  })
})
