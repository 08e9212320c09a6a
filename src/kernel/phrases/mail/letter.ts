/** The content of a mail. `platform/mail/compose-mail.ts` renders it as text and as HTML. */
export type Letter = {
  subject: string
  /** Paragraphs before the button and the list. */
  paragraphs: readonly string[]
  list?: readonly string[]
  /** The call to action, if there is one. */
  button?: { label: string; url: string }
  /** Small print after them: how long the link is valid, and what to do if the reader did not request it. */
  notes?: readonly string[]
}

/** Every mail that Recado sends, and the text of the common layout. */
export type MailPhrases = {
  greeting: string
  /** The footer, which says where the mail comes from. */
  signature: string
  /** The line above a link that is shown as text for mail programs without buttons. */
  orOpen: string
  confirm(values: { company: string; link: string }): Letter
  /** Someone signed up with an address that already has an account. */
  taken(values: { panelUrl: string }): Letter
  reset(values: { company: string; link: string }): Letter
  passwordChanged(values: { panelUrl: string }): Letter
  secondFactor(values: { on: boolean; panelUrl: string }): Letter
  changeEmail(values: { link: string; before: string; after: string }): Letter
  invite(values: { inviter: string; company: string; role: string; link: string }): Letter
  /** The invited address belongs to another account. */
  inviteTaken(values: { inviter: string; company: string; role: string }): Letter
  accountDeleted(values: { company: string }): Letter
  /** Problems in production; `more` is how many are not listed. */
  alerts(values: {
    company: string
    lines: readonly string[]
    more: number
    panelUrl: string
  }): Letter
}

/** The page where a user chooses which mails they receive. */
export const notificationSettings = (panelUrl: string): string =>
  `${panelUrl}/producao/configuracoes?aba=notificacoes`
/** The start page of production. */
export const productionHome = (panelUrl: string): string => `${panelUrl}/producao/inicio`
