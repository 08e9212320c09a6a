import { openStorage } from '../../src/db/storage.ts'
import type { Config } from '../../src/config/config.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createOperator } from '../../src/operator.ts'

export const OWNER = { email: 'dono@empresa.com.br', password: 'uma senha bem longa' }

/** A confirmed company, subscribed and with credits, in the database of a server that is not running yet. */
export async function foundCompany(config: Config): Promise<void> {
  await using storage = await openStorage(config, 'operator')
  const { database: db } = storage
  await migrate(db)
  const { accounts, projects, billing } = createOperator(config, db)
  const company = { company: 'Padaria', taxId: '11222333000181', ...OWNER }
  const { projectId } = await accounts.create(db, company, true)
  await projects.set(db, projectId, 'subscription.set', { subscription: 'active' })
  await billing.grant(db, projectId, 1_000_000_000)
}
