import type { Db } from '../../platform/db/sql.ts'
import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import type { Person } from './route-message.ts'
import { findPhones, findPicture, patchPhone, setPicture } from './simulator.sql.ts'

/** A phone's number or LID, or a group's id, as the simulator's tables know it. */
const keyOf = (chatId: string) => chatId.replace(/@s\.whatsapp\.net$/, '')

/** The profile of a business that has filled in nothing. */
const BLANK_BUSINESS = {
  description: null,
  category: null,
  email: null,
  address: null,
  websites: [],
}

/** Creates the commands of an instance that read and change profiles on the simulated network. */
export function createSimulatedProfiles(deps: {
  db: Db
  scope: PhoneScope
  groups: Groups
  /** Returns the account's own person; throws while the instance is not connected. */
  self: () => Person
}): Pick<NetworkCommands, 'findProfile' | 'findPicture' | 'changeProfile' | 'setPicture'> {
  const { db, scope, groups, self } = deps

  async function findPhone(key: string) {
    const rows = await findPhones(db, scope, [key])
    return rows.find(({ phone, lid }) => phone === key || lid === key) ?? null
  }

  return {
    async findProfile({ chatId }) {
      const found = await findPhone(chatId === null ? self().phone : keyOf(chatId))
      const { about = null, business = false } = found ?? {}
      return { about: about || null, business: business ? BLANK_BUSINESS : null }
    },
    async findPicture({ chatId }) {
      const key = chatId === null ? self().phone : keyOf(chatId)
      return (await findPicture(db, scope, key))?.toString('base64') ?? null
    },
    async changeProfile(changes) {
      const own = await findPhone(self().phone)
      if (!own) throw new NetworkRejection('unknown')
      await patchPhone(db, scope, own.id, changes)
      return null
    },
    async setPicture({ groupId, picture }) {
      const me = self()
      if (groupId !== null) await groups.requireEditor(db, scope, groupId, me)
      const bytes = picture === null ? null : Buffer.from(picture, 'base64')
      await setPicture(db, scope, groupId ?? me.phone, bytes)
      return null
    },
  }
}
