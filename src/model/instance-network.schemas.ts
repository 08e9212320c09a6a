import { Type, type Static } from 'typebox'

/** How an instance reaches WhatsApp: a phone that scans a code, or Meta's official API. */
export const InstanceNetwork = Type.Unsafe<'whatsapp' | 'cloud_api'>({
  type: 'string',
  enum: ['whatsapp', 'cloud_api'],
  title: 'InstanceNetwork',
  description: '`whatsapp`: um celular lê o QR code; `cloud_api`: a API oficial da Meta',
})
export type InstanceNetwork = Static<typeof InstanceNetwork>
