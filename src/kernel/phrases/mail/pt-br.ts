import { notificationSettings, productionHome, type MailPhrases } from './letter.ts'

/** The mails in Portuguese. */
export const mailPtBr: MailPhrases = {
  greeting: 'Olá!',
  signature: 'Recado',
  orOpen: 'Se o botão não funcionar, abra este endereço:',
  confirm: ({ company, link }) => ({
    subject: 'Confirme seu e-mail no Recado',
    paragraphs: [
      `Falta um passo para ativar a conta ${company} no Recado: confirme que este e-mail é seu.`,
    ],
    button: { label: 'Confirmar meu e-mail', url: link },
    notes: ['O link vale por 24 horas. Se você não criou esta conta, ignore esta mensagem.'],
  }),
  taken: ({ panelUrl }) => ({
    subject: 'Você já tem uma conta no Recado',
    paragraphs: [
      'Recebemos um pedido para criar uma conta no Recado com este e-mail, mas ele já tem uma. Entre com a sua senha.',
    ],
    button: { label: 'Entrar', url: panelUrl },
    notes: ['Se não foi você, ignore esta mensagem: nada mudou na sua conta.'],
  }),
  reset: ({ company, link }) => ({
    subject: 'Crie uma nova senha no Recado',
    paragraphs: [`Recebemos um pedido para criar uma nova senha na conta ${company} do Recado.`],
    button: { label: 'Criar nova senha', url: link },
    notes: [
      'O link vale por uma hora e só pode ser usado uma vez. Se você não fez este pedido, ignore esta mensagem: sua senha continua a mesma.',
    ],
  }),
  passwordChanged: ({ panelUrl }) => ({
    subject: 'Sua senha do Recado foi alterada',
    paragraphs: [
      'A senha da sua conta no Recado foi alterada, e as sessões abertas foram encerradas.',
    ],
    button: { label: 'Entrar', url: panelUrl },
    notes: ['Se não foi você, redefina sua senha agora em “Esqueci minha senha”.'],
  }),
  secondFactor: ({ on, panelUrl }) => ({
    subject: on
      ? 'Verificação em duas etapas ativada no Recado'
      : 'Verificação em duas etapas desativada no Recado',
    paragraphs: [
      `A verificação em duas etapas da sua conta no Recado foi ${on ? 'ativada' : 'desativada'}.`,
    ],
    notes: [`Se não foi você, troque sua senha agora: ${panelUrl}`],
  }),
  changeEmail: ({ link, before, after }) => ({
    subject: 'Confirme a troca de e-mail no Recado',
    paragraphs: [
      `Recebemos um pedido para trocar o e-mail da sua conta no Recado de ${before} para ${after}. A troca vale quando os dois endereços confirmarem.`,
    ],
    button: { label: 'Confirmar a troca', url: link },
    notes: ['O link vale por 24 horas. Se não foi você, não confirme e troque sua senha.'],
  }),
  invite: ({ inviter, company, role, link }) => ({
    subject: `${inviter} convidou você para a conta ${company} no Recado`,
    paragraphs: [
      `${inviter} convidou você para a conta ${company} no Recado, com a função de ${role}.`,
    ],
    button: { label: 'Aceitar o convite', url: link },
    notes: ['O link vale por sete dias. Se você não esperava este convite, ignore esta mensagem.'],
  }),
  inviteTaken: ({ inviter, company, role }) => ({
    subject: `${inviter} convidou você para a conta ${company} no Recado`,
    paragraphs: [
      `${inviter} convidou você para a conta ${company} no Recado, com a função de ${role}, mas este e-mail já pertence a outra conta. Para participar das duas, peça um convite para outro endereço.`,
    ],
    notes: ['Se você não esperava este convite, ignore esta mensagem.'],
  }),
  accountDeleted: ({ company }) => ({
    subject: 'Sua conta no Recado foi excluída',
    paragraphs: [
      `A conta ${company} no Recado foi excluída: chaves, webhooks e campanhas pararam, e os números foram desconectados. Os dados serão apagados em algumas horas, sem volta.`,
    ],
  }),
  alerts: ({ company, lines, more, panelUrl }) => ({
    subject:
      lines.length + more === 1
        ? `${company}: ${lines[0]}`
        : `${company}: ${lines.length + more} avisos do Recado`,
    paragraphs: [`A produção de ${company} no Recado precisa de você:`],
    list: [...lines, ...(more > 0 ? [`e mais ${more}`] : [])],
    button: { label: 'Ver e resolver', url: productionHome(panelUrl) },
    notes: [`Escolha o que você recebe em ${notificationSettings(panelUrl)}`],
  }),
}
