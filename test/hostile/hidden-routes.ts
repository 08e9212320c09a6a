// Routes that neither document describes, in the form of one: the fuzzer sends hostile values to these, too.
import type { Schema } from './hostile-values.ts'

const text = { type: 'string' }
const digits = { type: 'string', examples: ['5511988887777', '1764237600', '106540352242922'] }
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const list = (items: Schema): Schema => ({ type: 'array', items })
const query = (name: string, schema: Schema = text) => ({ name, in: 'query', schema })
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })

const media = object({ id: digits, mime_type: text, sha256: text, caption: text, filename: text })
const metaMessage = object(
  {
    id: { type: 'string', examples: ['wamid.A', 'wamid.B', 'wamid.C'] },
    from: digits,
    timestamp: digits,
    type: {
      type: 'string',
      enum: ['text', 'image', 'audio', 'reaction', 'button', 'interactive', 'location', 'contacts'],
    },
    text: object({ body: text }, 'body'),
    image: media,
    audio: media,
    reaction: object({ message_id: text, emoji: text }),
    button: object({ payload: text, text }),
    interactive: object({
      type: text,
      button_reply: object({ id: text, title: text }),
      list_reply: object({ id: text, title: text, description: text }),
    }),
    location: object({
      latitude: { type: 'number' },
      longitude: { type: 'number' },
      name: text,
      address: text,
    }),
    contacts: list(object({ name: object({ formatted_name: text }), phones: list(object({})) })),
    context: object({ id: text, from: digits }),
    referral: object({ source_url: text, source_type: text, headline: text, ctwa_clid: text }),
    errors: list(object({ code: { type: 'integer' }, title: text })),
  },
  'id',
  'from',
  'timestamp',
  'type',
)
const metaStatus = object(
  {
    id: { type: 'string', examples: ['wamid.A', 'wamid.B'] },
    status: { type: 'string', enum: ['sent', 'delivered', 'read', 'failed', 'deleted'] },
    timestamp: digits,
    recipient_id: digits,
    errors: list(object({ code: { type: 'integer' }, title: text })),
  },
  'id',
  'status',
  'timestamp',
)
const metaContact = object({ wa_id: digits, profile: object({ name: text }) })

/** What Meta posts about a number. */
const metaWebhook = (phoneNumberId: string): Schema =>
  object(
    {
      object: { const: 'whatsapp_business_account' },
      entry: list(
        object(
          {
            id: digits,
            changes: list(
              object(
                {
                  field: { const: 'messages' },
                  value: object(
                    {
                      metadata: object(
                        { phone_number_id: { const: phoneNumberId } },
                        'phone_number_id',
                      ),
                      contacts: list(metaContact),
                      messages: list(metaMessage),
                      statuses: list(metaStatus),
                    },
                    'metadata',
                    'messages',
                    'statuses',
                  ),
                },
                'field',
                'value',
              ),
            ),
          },
          'changes',
        ),
      ),
    },
    'object',
    'entry',
  )

const MCP_METHODS = [
  'tools/call',
  'tools/list',
  'initialize',
  'server/discover',
  'ping',
  'resources/list',
  'notifications/initialized',
]
const TOOLS = [
  'list_instances',
  'get_instance',
  'list_messages',
  'list_conversations',
  'send_text',
  'send_media',
  'list_contacts',
  'list_webhooks',
]
const mcpCall = object(
  {
    jsonrpc: { const: '2.0' },
    id: { type: 'integer' },
    method: { type: 'string', enum: MCP_METHODS },
    params: object({
      name: { type: 'string', enum: TOOLS },
      arguments: object({
        instanceId: text,
        to: digits,
        text,
        limit: { type: 'integer' },
        offset: { type: 'integer' },
        media: object({ url: text, base64: text }),
        type: text,
        confirm: text,
      }),
      protocolVersion: { type: 'string', enum: ['2025-11-25', '2026-07-28'] },
      capabilities: object({}),
      clientInfo: object({ name: text, version: text }),
    }),
  },
  'jsonrpc',
  'method',
)

/** The undocumented routes. `cloud` is a path of Meta's webhook, `inbox` one of a test inbox. */
export const describeHiddenRoutes = (
  cloud: { path: string; phoneNumberId: string },
  inbox: string,
) => ({
  paths: {
    [cloud.path]: {
      get: {
        parameters: ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => query(name)),
      },
      post: { requestBody: json(metaWebhook(cloud.phoneNumberId)) },
    },
    [inbox]: {
      get: { parameters: [query('a')] },
      post: { requestBody: json(object({ event: text, data: object({}) })) },
      put: { requestBody: { content: { 'text/plain': { schema: text } } } },
    },
    '/mcp': { get: {}, post: { requestBody: json(mcpCall) }, delete: {} },
    '/cloud/{id}': { get: {}, post: { requestBody: json(metaWebhook('1')) } },
    '/caixa/{id}': { post: { requestBody: json(object({})) } },
    '/v1/media-links/{token}': { get: {} },
    '/parear': { get: { parameters: [query('token')] } },
    '/panel/{path}': { get: {} },
    '/{path}': { get: {}, post: { requestBody: json(object({})) } },
    '/docs': { get: {} },
    '/openapi.json': { get: { parameters: [query('lang')] } },
    '/asyncapi.json': { get: {} },
    '/readyz': { get: {} },
    '/metrics': { get: {} },
  },
})
