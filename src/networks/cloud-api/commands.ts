import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import type { CloudAccount } from './account.ts'
import { meaningOf } from './failures.ts'
import { GraphError, type Graph } from './graph.ts'
import { listAll } from './list-all.ts'
import { createTemplate, deleteTemplate, listTemplates } from './templates.ts'
import { textOf } from './unknown.ts'

/** The commands of the port that the session itself does not implement. */
type Commands = Omit<NetworkCommands, 'receive' | 'requestPairingCode'>

const reject = (): Promise<never> => Promise.reject(new NetworkRejection('not_supported'))

/** Creates the commands of an account; those that Meta's API does not have are rejected as `not_supported`. */
export function createCloudCommands(deps: {
  graph: Graph
  /** Returns the connected account, or throws. */
  account: () => CloudAccount
}): Commands {
  const { graph, account } = deps

  /** Runs a request; one that Meta rejects for its content is rejected as `invalid`. */
  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof GraphError && meaningOf(error).kind === 'failed')
        throw new NetworkRejection('invalid')
      throw error
    }
  }

  return {
    async markRead({ messages }) {
      // Meta marks everything before a message as read, too.
      const last = new Map(messages.map((message) => [message.chatId, message.waMessageId]))
      await Promise.all(
        [...last.values()].map(async (waMessageId) =>
          graph.post(account(), `${account().phoneNumberId}/messages`, {
            messaging_product: 'whatsapp',
            status: 'read',
            message_id: waMessageId,
          }),
        ),
      )
      return null
    },
    // Works only within a day of the person's last message; otherwise the failure is ignored.
    showPresence: async () => null,
    async listBlocked() {
      const found = await listAll(
        graph,
        account(),
        `${account().phoneNumberId}/block_users?limit=100`,
      )
      return found.flatMap((one) => {
        const phone = textOf(one['wa_id'])
        return phone ? [{ phone, lid: null, name: null }] : []
      })
    },
    async setBlocked({ phone, blocked }) {
      if (!phone) return reject()
      const body = { messaging_product: 'whatsapp', block_users: [{ user: `+${phone}` }] }
      const path = `${account().phoneNumberId}/block_users`
      await ask(() =>
        blocked ? graph.post(account(), path, body) : graph.remove(account(), path, body),
      )
      return null
    },
    listTemplates: () => ask(() => listTemplates(graph, account())),
    createTemplate: (template) => ask(() => createTemplate(graph, account(), template)),
    async deleteTemplate({ name }) {
      await ask(() => deleteTemplate(graph, account(), name))
      return null
    },
    lookUp: reject,
    edit: reject,
    revoke: reject,
    pin: reject,
    star: reject,
    findProfile: reject,
    findPicture: reject,
    changeProfile: reject,
    setPicture: reject,
    requestHistory: reject,
    createGroup: reject,
    changeGroup: reject,
    changeGroupSettings: reject,
    groupInvite: reject,
    joinGroup: reject,
    listJoinRequests: reject,
    answerJoinRequests: reject,
    changeParticipants: reject,
    leaveGroup: reject,
    saveLabel: reject,
    deleteLabel: reject,
    associateLabel: reject,
    rejectCall: reject,
  }
}
