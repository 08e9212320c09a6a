import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) await import('./inbound.suite.ts')
else it('contacts on WhatsApp', { skip: 'baileys is not installed: npm install baileys' }, () => {})
