import { parametersOf, type Node } from './openapi-components.ts'
import { eventSchemaName, type OpenapiDocument } from './openapi-document.ts'

const FIRST_FRAME = {
  title: 'ReadyFrame',
  type: 'object',
  required: ['type', 'connectionId', 'mode'],
  properties: {
    type: { type: 'string', const: 'ready' },
    connectionId: { type: 'string' },
    mode: { type: 'string', enum: ['test', 'production'] },
  },
}

/** Only for clients that asked for it. */
const PING_FRAME = {
  title: 'PingFrame',
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', const: 'ping' } },
}

/**
 * Describes the WebSocket of `GET /v1/events` as AsyncAPI 3: its first frame, its pings and the ten events, with the schemas of the
 * OpenAPI document `api`.
 */
export function describeWebSocket(api: OpenapiDocument): object {
  const webhooks = api['webhooks'] as Record<string, { post: Node }>
  const events = Object.entries(webhooks).map(([event, { post }]) => {
    const body = post['requestBody'] as { content: Record<string, { example: unknown }> }
    return {
      name: eventSchemaName(event),
      message: {
        name: event,
        summary: post['summary'],
        payload: { $ref: `#/components/schemas/${eventSchemaName(event)}` },
        examples: [{ payload: body.content['application/json']?.example }],
      },
    }
  })
  const messages = Object.fromEntries([
    ['ready', { name: 'ready', payload: { $ref: '#/components/schemas/ReadyFrame' } }],
    ['ping', { name: 'ping', payload: { $ref: '#/components/schemas/PingFrame' } }],
    ...events.map(({ name, message }) => [name, message] as const),
  ])
  const names = Object.keys(messages)
  const { schemas, securitySchemes } = api['components'] as Record<string, Node>
  const servers = api['servers'] as { url: string; description: string }[]
  const operation = (api['paths'] as Record<string, { get: Node }>)['/v1/events']?.get ?? {}
  return {
    asyncapi: '3.0.0',
    info: { ...(api['info'] as Node) },
    servers: Object.fromEntries(
      servers.map(({ url, description }) => {
        const { host, protocol } = new URL(url)
        const name = description === 'Teste' ? 'test' : 'production'
        const secure = protocol === 'https:'
        return [
          name,
          {
            host,
            protocol: secure ? 'wss' : 'ws',
            description,
            security: [{ $ref: '#/components/securitySchemes/apiKey' }],
          },
        ]
      }),
    ),
    channels: {
      events: {
        address: '/v1/events',
        description: operation['description'],
        messages: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: Object.fromEntries(
                parametersOf(api, operation)
                  .filter((parameter) => parameter['in'] === 'query')
                  .map((parameter) => [
                    parameter['name'],
                    { ...(parameter['schema'] as Node), description: parameter['description'] },
                  ]),
              ),
            },
          },
        },
      },
    },
    operations: {
      receiveEvents: {
        action: 'receive',
        channel: { $ref: '#/channels/events' },
        messages: names.map((name) => ({ $ref: `#/channels/events/messages/${name}` })),
      },
    },
    components: {
      messages,
      schemas: {
        ...referenced(schemas ?? {}, names),
        ReadyFrame: FIRST_FRAME,
        PingFrame: PING_FRAME,
      },
      securitySchemes,
    },
  }
}

/** The schemas with these names and all that they refer to. */
function referenced(schemas: Node, names: string[]): Node {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name) || !(name in schemas)) return
    found.add(name)
    const text = JSON.stringify(schemas[name])
    for (const [, target = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) add(target)
  }
  for (const name of names) add(name)
  return Object.fromEntries([...found].toSorted().map((name) => [name, schemas[name]]))
}
