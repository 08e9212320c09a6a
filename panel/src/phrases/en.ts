import { common } from './en/common.ts'
import { messaging } from './en/messaging.ts'
import { developers } from './en/developers.ts'
import { account } from './en/account.ts'
import { contacts } from './en/contacts.ts'
import { controls } from './en/controls.ts'
import { operation } from './en/operation.ts'
import { official } from './en/official.ts'
import { team } from './en/team.ts'
import type { Phrases } from './phrases.ts'

export const en: Phrases = {
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
