import { notificationSettings, productionHome, type MailPhrases } from './letter.ts'

/** The mails in English. */
export const mailEn: MailPhrases = {
  greeting: 'Hello,',
  signature: 'Recado',
  orOpen: 'If the button doesn’t work, open this address:',
  confirm: ({ company, link }) => ({
    subject: 'Confirm your email for Recado',
    paragraphs: [
      `One step left to activate ${company} on Recado: confirm that this email is yours.`,
    ],
    button: { label: 'Confirm my email', url: link },
    notes: [
      'The link is valid for 24 hours. If you didn’t create this account, ignore this email.',
    ],
  }),
  taken: ({ panelUrl }) => ({
    subject: 'You already have a Recado account',
    paragraphs: [
      'We received a request to create a Recado account with this email, but it already has one. Sign in with your password.',
    ],
    button: { label: 'Sign in', url: panelUrl },
    notes: ['If this wasn’t you, ignore this email: nothing has changed in your account.'],
  }),
  reset: ({ company, link }) => ({
    subject: 'Reset your Recado password',
    paragraphs: [`We received a request to reset your password for ${company} on Recado.`],
    button: { label: 'Create a new password', url: link },
    notes: [
      'The link is valid for one hour and can be used once. If you didn’t ask for this, ignore this email: your password stays the same.',
    ],
  }),
  passwordChanged: ({ panelUrl }) => ({
    subject: 'Your Recado password was changed',
    paragraphs: ['Your Recado password was changed, and all open sessions were signed out.'],
    button: { label: 'Sign in', url: panelUrl },
    notes: ['If this wasn’t you, reset your password now with “Forgot password”.'],
  }),
  secondFactor: ({ on, panelUrl }) => ({
    subject: `Two-step verification turned ${on ? 'on' : 'off'} for Recado`,
    paragraphs: [`Two-step verification was turned ${on ? 'on' : 'off'} for your Recado account.`],
    notes: [`If this wasn’t you, change your password now: ${panelUrl}`],
  }),
  changeEmail: ({ link, before, after }) => ({
    subject: 'Confirm your new email for Recado',
    paragraphs: [
      `We received a request to change the email of your Recado account from ${before} to ${after}. The change takes effect once both addresses have confirmed it.`,
    ],
    button: { label: 'Confirm the change', url: link },
    notes: [
      'The link is valid for 24 hours. If this wasn’t you, don’t confirm it, and change your password.',
    ],
  }),
  invite: ({ inviter, company, role, link }) => ({
    subject: `${inviter} invited you to ${company} on Recado`,
    paragraphs: [`${inviter} invited you to ${company} on Recado, with the role ${role}.`],
    button: { label: 'Accept the invitation', url: link },
    notes: [
      'The link is valid for seven days. If you weren’t expecting this invitation, ignore this email.',
    ],
  }),
  inviteTaken: ({ inviter, company, role }) => ({
    subject: `${inviter} invited you to ${company} on Recado`,
    paragraphs: [
      `${inviter} invited you to ${company} on Recado, with the role ${role}, but this email already belongs to another account. To join both, ask for an invitation to another address.`,
    ],
    notes: ['If you weren’t expecting this invitation, ignore this email.'],
  }),
  accountDeleted: ({ company }) => ({
    subject: 'Your Recado account was deleted',
    paragraphs: [
      `The account ${company} on Recado was deleted: keys, webhooks and campaigns have stopped, and its numbers were disconnected. The data will be erased within a few hours. This can’t be undone.`,
    ],
  }),
  alerts: ({ company, lines, more, panelUrl }) => ({
    subject:
      lines.length + more === 1
        ? `${company}: ${lines[0]}`
        : `${company}: ${lines.length + more} alerts from Recado`,
    paragraphs: [`${company} needs your attention in production:`],
    list: [...lines, ...(more > 0 ? [`and ${more} more`] : [])],
    button: { label: 'Review', url: productionHome(panelUrl) },
    notes: [`Choose what you receive at ${notificationSettings(panelUrl)}`],
  }),
}
