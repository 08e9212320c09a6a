import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) await import('./app.suite.ts')
else
  it('the product on WhatsApp', { skip: 'baileys is not installed: npm install baileys' }, () => {})
