import type { Phrases } from '../phrases.ts'

export const official: Pick<
  Phrases,
  | 'official'
  | 'officialNetworks'
  | 'cloudFields'
  | 'cloudHints'
  | 'templateCategories'
  | 'templateVerdicts'
> = {
  official: {
    network: 'How to connect',
    networkHint: 'Cannot be changed later.',
    badge: 'Official API',
    connect: 'Connect to the official API',
    replace: 'Replace the token',
    step1: "In Meta's dashboard, open your WhatsApp app and register the number.",
    step2:
      'In Business Settings, create a token of a system user that does not expire, with the permissions whatsapp_business_messaging and whatsapp_business_management.',
    step3: 'Copy the two ids, the token and the app secret here.',
    webhook: "Meta's webhook",
    webhookDone: 'Meta sends what happens to the number to this address.',
    webhookByHand:
      "Meta did not accept the address, which must be public and https. Enter both values in Meta's dashboard, under WhatsApp → Configuration.",
    webhookUrl: 'Callback URL',
    verifyToken: 'Verify token',
    templates: 'Templates',
    templatesText:
      "Outside of the 24 hours after the person's last message, only a template that Meta approved can be sent.",
    noTemplates: 'No templates yet.',
    noneApproved: 'No approved templates. Create one on the page of the instance.',
    template: 'Template',
    newTemplate: 'New template',
    outsideWindow:
      'The person has not written for more than 24 hours. On the official API, only an approved template can be sent now.',
    sendTemplate: 'Send template',
    submit: 'Submit for approval',
    deleteTemplate: 'Delete template',
    deleteText: (name: string) =>
      `Delete ${name} in all languages? Meta accepts no other of the same name for 30 days.`,
    nameHint: 'Lower-case letters, digits and _',
    language: 'Language',
    category: 'Category',
    body: 'Text',
    bodyHint: 'Write {{1}}, {{2}}… for what varies.',
    variable: (number: number) => `Value of {{${number}}}`,
    example: (number: number) => `Example for {{${number}}}`,
  },
  officialNetworks: {
    whatsapp: 'A phone that scans a QR code',
    cloud_api: "Meta's official API",
  },
  cloudFields: {
    phoneNumberId: 'Phone number ID',
    businessAccountId: 'WhatsApp Business account ID',
    accessToken: 'Access token',
    appSecret: 'App secret',
  },
  cloudHints: {
    phoneNumberId: 'Under WhatsApp → API Setup. It is not the phone number itself.',
    businessAccountId: 'On the same page, also called WABA.',
    accessToken: 'Stored encrypted and never shown again.',
    appSecret: "Under Settings → Basic. Checks the signature of Meta's webhooks.",
  },
  templateCategories: {
    UTILITY: 'Utility',
    MARKETING: 'Marketing',
    AUTHENTICATION: 'Authentication',
  },
  templateVerdicts: {
    APPROVED: 'Approved',
    PENDING: 'In review',
    REJECTED: 'Rejected',
    PAUSED: 'Paused',
    DISABLED: 'Disabled',
  },
}
