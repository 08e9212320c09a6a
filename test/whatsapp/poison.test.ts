import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) await import('./poison.suite.ts')
else
  it('recipients on WhatsApp', { skip: 'baileys is not installed: npm install baileys' }, () => {})
