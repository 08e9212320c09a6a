import { NetworkRejection, type TemplateCommands } from './network.port.ts'

const reject = (): Promise<never> => Promise.reject(new NetworkRejection('not_supported'))

/** The commands of templates and webhooks, on a network that has neither. */
export const NO_TEMPLATES: TemplateCommands = {
  receive: reject,
  listTemplates: reject,
  createTemplate: reject,
  deleteTemplate: reject,
}
