import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) await import('./connection.suite.ts')
else
  it('connections to WhatsApp', { skip: 'baileys is not installed: npm install baileys' }, () => {})
