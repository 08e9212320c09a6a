import { common } from './es/common.ts'
import { messaging } from './es/messaging.ts'
import { developers } from './es/developers.ts'
import { account } from './es/account.ts'
import { contacts } from './es/contacts.ts'
import { controls } from './es/controls.ts'
import { operation } from './es/operation.ts'
import { official } from './es/official.ts'
import { team } from './es/team.ts'
import type { Phrases } from './phrases.ts'

export const es: Phrases = {
  ...common,
  ...messaging,
  ...developers,
  ...account,
  ...operation,
  ...team,
  ...official,
  ...contacts,
  ...controls,
}
