import { common } from './pt-br/common.ts'
import { messaging } from './pt-br/messaging.ts'
import { developers } from './pt-br/developers.ts'
import { account } from './pt-br/account.ts'
import { contacts } from './pt-br/contacts.ts'
import { controls } from './pt-br/controls.ts'
import { team } from './pt-br/team.ts'

export const ptBr = {
  ...common,
  ...messaging,
  ...developers,
  ...account,
  ...team,
  ...contacts,
  ...controls,
} as const
