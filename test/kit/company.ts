import { openStorage } from '../../src/platform/db/storage.ts'
import type { Config } from '../../src/kernel/config/config.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createOperator } from '../../src/operations/operator.ts'

/** Credentials of the owner of the first company. */
export const OWNER = { email: 'dono@empresa.com.br', password: 'uma senha bem longa' }

/**
 * Creates confirmed, subscribed companies with credits in the database of a server that is not running yet. Returns the
 * e-mail addresses of their owners; all have the password of `OWNER`.
 */
export async function foundCompanies(config: Config, count: number): Promise<string[]> {
  await using storage = await openStorage(config, 'operator')
  const { database: db } = storage
  await migrate(db)
  const { accounts, projects, billing } = createOperator(config, db)
  const emails = Array.from({ length: count }, (_, index) =>
    index === 0 ? OWNER.email : OWNER.email.replace('@', `-${index}@`),
  )
  for (const email of emails) {
    const company = { company: 'Padaria', taxId: '11222333000181', ...OWNER, email }
    const { projectId } = await accounts.create(db, company, true)
    await projects.set(db, projectId, 'subscription.set', { subscription: 'active' })
    await projects.set(db, projectId, 'addon.grant', { addons: ['mass_sending'] })
    await billing.grant(db, projectId, 1_000_000_000)
  }
  return emails
}
