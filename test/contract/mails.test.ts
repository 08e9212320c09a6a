// Mails: what they name, in whose language, and as text and HTML.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { LANGUAGES } from '../../src/kernel/phrases/phrases.ts'
import { composeMail } from '../../src/platform/mail/compose-mail.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const mailTo = (address: string) => {
  const mail = kit.mails.findLast(({ to }) => to === address)
  assert.ok(mail, `no mail to ${address}`)
  return mail
}

describe('an invitation', () => {
  it('an invitation names who invites and the company, in the language of the inviter, as text and as HTML', async () => {
    const project = await kit.project()
    const owner = await kit.login(project)
    for (const [index, [language, words]] of (
      [
        ['pt-BR', /convidou você para a conta/],
        ['en', /invited you to/],
        ['es', /te invitó a la cuenta/],
      ] as const
    ).entries()) {
      const email = `ana-${index}@empresa.com.br`
      const headers = { 'x-recado-panel': '1', 'accept-language': language }
      const made = await owner.post(
        '/panel/api/members/invitations',
        { email, role: 'Atendente' },
        headers,
      )
      assert.equal(made.status, 201, made.text)
      const { subject, text, html } = mailTo(email)
      for (const part of [subject, text, html]) {
        assert.match(part, words)
        assert.ok(part.includes(project.email), part)
      }
      const link = /https?:\/\/\S+token=[\w-]+/.exec(text)?.[0]
      assert.ok(link && html.includes(`href="${link}"`), html)
    }
  })
})

describe('a password reset', () => {
  it('a password reset mail is in the language of its user, regardless of the request', async () => {
    const project = await kit.project()
    const owner = await kit.login(project)
    const appearance = { theme: 'sistema', density: 'confortavel', language: 'es' }
    const headers = { 'x-recado-panel': '1' }
    const saved = await owner.put('/panel/api/me/appearance', appearance, headers)
    assert.equal(saved.status, 204, saved.text)
    await kit
      .client('production')
      .post('/panel/api/forgot-password', { email: project.email }, { 'accept-language': 'en' })
    await kit.settle()
    assert.match(mailTo(project.email).text, /Crear nueva contraseña/)
  })
})

describe('a composed mail', () => {
  it('a mail escapes user-written text in its HTML and keeps its subject on one line', () => {
    for (const language of LANGUAGES) {
      const { subject, html, text } = composeMail('a@x.com', language, (mail) =>
        mail.invite({
          inviter: 'a@x.com',
          company: '<img src=x onerror=alert(1)>\r\nBcc: todos@x.com',
          role: 'Admin',
          link: 'https://painel/convite?token=x&y="z"',
        }),
      )
      assert.ok(!/[\r\n]/.test(subject))
      assert.ok(!html.includes('<img'), html)
      assert.ok(html.includes('token=x&amp;y=&quot;z&quot;'), html)
      assert.ok(text.includes('https://painel/convite?token=x&y="z"'))
    }
  })
})

describe('a mail that cannot be handed over', () => {
  it('an address that the mail server refuses is rejected with 400, and can be used again', async () => {
    const email = 'cheia@empresa.com.br'
    kit.refusedMails.add(email)
    const owner = await kit.login(await kit.project())
    const company = { company: 'X', taxId: '11222333000181', password: 'outra senha bem longa 77' }
    const answers = [
      await owner.post('/panel/api/members/invitations', { email, role: 'Admin' }),
      await kit.client('production').post('/panel/api/signup', { ...company, email }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 400)
      assert.equal(body.error.field, 'email')
      assert.match(body.error.message, /recusou este endereço/)
    }
    kit.refusedMails.clear()
    const again = await owner.post('/panel/api/members/invitations', { email, role: 'Admin' })
    assert.equal(again.status, 201)
  })
})
