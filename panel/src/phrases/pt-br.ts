import { common } from './pt-br/common.ts'
import { messaging } from './pt-br/messaging.ts'
import { developers } from './pt-br/developers.ts'
import { account } from './pt-br/account.ts'

export const ptBr = { ...common, ...messaging, ...developers, ...account } as const
