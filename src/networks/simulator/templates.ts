import { DEFAULT_LANGUAGE, type MessageTemplate } from '../../model/templates.schemas.ts'
import { NetworkRejection, type CredentialStore, type TemplateCommands } from '../network.port.ts'

const KIND = 'template'
const MAX_TEMPLATES = 250

/** Creates the template commands of the simulator, which approves every template at once. */
export function createSimulatedTemplates(credentials: CredentialStore): TemplateCommands {
  const load = async (): Promise<MessageTemplate[]> =>
    [...(await credentials.load(KIND)).values()].map(
      (value) => JSON.parse(value.toString()) as MessageTemplate,
    )
  return {
    // Events of the simulator come through its own queue.
    receive: () => Promise.reject(new NetworkRejection('not_supported')),
    async listTemplates() {
      const stored = await load()
      return stored.toSorted((a, b) => a.name.localeCompare(b.name))
    },
    async createTemplate({ name, language = DEFAULT_LANGUAGE, category, body, header, footer }) {
      const id = `${name} ${language}`
      const stored = await load()
      const taken = stored.some((one) => one.name === name && one.language === language)
      if (taken || stored.length >= MAX_TEMPLATES) throw new NetworkRejection('invalid')
      const template: MessageTemplate = {
        name,
        language,
        category,
        status: 'APPROVED',
        body,
        header: header ?? null,
        footer: footer ?? null,
        buttons: [],
        rejectedReason: null,
      }
      await credentials.save([{ kind: KIND, id, value: Buffer.from(JSON.stringify(template)) }])
      return { status: template.status }
    },
    async deleteTemplate({ name }) {
      const gone = [...(await credentials.load(KIND)).keys()].filter(
        (id) => id.split(' ')[0] === name,
      )
      if (gone.length === 0) throw new NetworkRejection('unknown')
      await credentials.save(gone.map((id) => ({ kind: KIND, id, value: null })))
      return null
    },
  }
}
