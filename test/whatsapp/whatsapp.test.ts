// The adapter for WhatsApp needs an optional dependency; everything else is tested without it.
import { it } from 'node:test'
import { isWhatsAppInstalled } from '../kit/whatsapp-installed.ts'

if (isWhatsAppInstalled()) {
  await import('./session.suite.ts')
  await import('./conformance.suite.ts')
} else {
  it(
    'the adapter for WhatsApp',
    { skip: 'baileys is not installed: npm install baileys' },
    () => {},
  )
}
