import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import type { GraphServer, MetaNumber } from './graph-server.ts'
import type { TestApp } from './test-app.ts'

/** An instance for the official API, with a number at Meta. */
export type Shop = { api: Client; projectId: string; id: string; base: string; number: MetaNumber }
let made = 0

/** The fields of a number that connect an instance. */
export const accountOf = ({
  phoneNumberId,
  businessAccountId,
  accessToken,
  appSecret,
}: MetaNumber) => ({ phoneNumberId, businessAccountId, accessToken, appSecret })

/** Creates an instance for the official API, which is not connected yet. */
export async function makeShop(kit: TestApp, graph: GraphServer): Promise<Shop> {
  const project = await kit.project()
  const api = await kit.key(project, 'production')
  const { body } = await api.post('/v1/instances', { name: 'Loja', network: 'cloud_api' })
  const number = graph.number(`55113000${String(++made).padStart(4, '0')}`)
  const { projectId } = project
  return { api, projectId, id: body.id, base: `/v1/instances/${body.id}`, number }
}

/** Creates an instance and connects it with the number's token. */
export async function connectShop(kit: TestApp, graph: GraphServer): Promise<Shop> {
  const shop = await makeShop(kit, graph)
  const { status } = await shop.api.put(`${shop.base}/cloud-account`, accountOf(shop.number))
  assert.equal(status, 200)
  await kit.settle()
  return shop
}
