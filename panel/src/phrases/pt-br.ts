import { common } from './pt-br/common.ts'
import { messaging } from './pt-br/messaging.ts'
import { developers } from './pt-br/developers.ts'
import { account } from './pt-br/account.ts'
import { contacts } from './pt-br/contacts.ts'
import { controls } from './pt-br/controls.ts'
import { operation } from './pt-br/operation.ts'
import { official } from './pt-br/official.ts'
import { team } from './pt-br/team.ts'

export const ptBr = {
  ...common,
  ...messaging,
  ...developers,
  ...account,
  ...operation,
  ...team,
  ...official,
  ...contacts,
  ...controls,
} as const
