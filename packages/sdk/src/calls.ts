// Single calls, for bundles that use few: `createTransport(options).call(sendText, { path: { id }, body })`.
export * from './generated/sdk.gen.ts'
export { createTransport, type Transport, type TransportOptions } from './transport.ts'
