import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) await import('./kill.suite.ts')
else it('kill -9 on WhatsApp', { skip: 'baileys is not installed: npm install baileys' }, () => {})
