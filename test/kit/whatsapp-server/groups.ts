import type { BinaryNode, proto } from 'baileys'
import type { Companion } from './companion.ts'
import type { Person } from './person.ts'
import type { WhatsAppServer } from './server.ts'

export type Groups = ReturnType<typeof createGroups>

/** Groups: who is in them, their keys, and what devices ask and change. */
export function createGroups(server: WhatsAppServer) {
  void server
  return {
    has: (_groupId: string, _person: Person): boolean => true,
    learn(_sender: Companion, _telephone: Person, _message: proto.IMessage): void {},
    open: async (_sender: Companion, _node: BinaryNode, _bytes: Buffer): Promise<Person[]> => [],
    answer: async (
      _companion: Companion | null,
      _node: BinaryNode,
      _name: string,
    ): Promise<BinaryNode['content'] | null> => null,
  }
}
