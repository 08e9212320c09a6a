import type { Db } from '../db/sql.ts'
import type { Message } from '../records/records.schemas.ts'
import type { MessageContent } from './network.port.ts'

/** Whose phones: every Project and mode has its own. */
export type PhoneScope = { projectId: string; mode: 'test' | 'production' }

export type VirtualPhone = {
  id: string
  phone: string
  name: string
  business: boolean
  pairedInstanceIds: string[]
}

/** A message as a phone sees it: no instance stands behind what a person wrote. */
export type PhoneRecord = Omit<Message, 'instanceId'> & { instanceId: string | null }

/** The people's side of the simulated network, which the room `phones` puts on HTTP. Source: contract §3. */
export type VirtualPhones = {
  /** Null when the number is taken; with `phone: null` a free one is made up. */
  create(
    db: Db,
    scope: PhoneScope,
    input: { name: string; phone: string | null; business: boolean; most: number },
  ): Promise<VirtualPhone | 'taken' | 'full'>
  list(db: Db, scope: PhoneScope, limit: number, offset: number): Promise<VirtualPhone[]>
  find(db: Db, scope: PhoneScope, phoneId: string): Promise<VirtualPhone | null>
  remove(db: Db, scope: PhoneScope, phoneId: string): Promise<void>
  /** The instance that showed the code becomes this phone's; false when the code is unknown or too old. */
  scan(db: Db, scope: PhoneScope, phone: VirtualPhone, code: string): Promise<boolean>
  /** Writes a message; null when nobody on the network would get it. */
  write(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    to: string,
    content: MessageContent,
  ): Promise<PhoneRecord | null>
  /** Reads messages of its inbox; answers those that exist. */
  read(db: Db, scope: PhoneScope, phone: VirtualPhone, waMessageIds: string[]): Promise<string[]>
  inbox(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    limit: number,
    offset: number,
  ): Promise<PhoneRecord[]>
  /** Removes the device on the telephone: its instances log out. */
  unpair(db: Db, scope: PhoneScope, phone: VirtualPhone): Promise<void>
}
