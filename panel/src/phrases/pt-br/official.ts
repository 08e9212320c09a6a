/** The official API, its templates and the account at Meta. */
export const official = {
  official: {
    network: 'Como conectar',
    networkHint: 'Não muda depois de criada.',
    badge: 'API oficial',
    connect: 'Conectar à API oficial',
    replace: 'Trocar o token',
    step1: 'No painel da Meta, abra o seu aplicativo do WhatsApp e registre o número.',
    step2:
      'Em Configurações do Negócio, crie um token de um usuário do sistema, sem validade, com as permissões whatsapp_business_messaging e whatsapp_business_management.',
    step3: 'Copie para cá os dois ids, o token e a chave secreta do aplicativo.',
    webhook: 'Webhook da Meta',
    webhookDone: 'A Meta envia para este endereço o que acontece com o número.',
    webhookByHand:
      'A Meta não aceitou o endereço, que precisa ser público e https. Informe os dois valores no painel da Meta, em WhatsApp → Configuração.',
    webhookUrl: 'URL de callback',
    verifyToken: 'Token de verificação',
    templates: 'Modelos',
    templatesText:
      'Fora das 24 horas depois da última mensagem da pessoa, só um modelo aprovado pela Meta pode ser enviado.',
    noTemplates: 'Nenhum modelo ainda.',
    noneApproved: 'Nenhum modelo aprovado. Crie um na página da instância.',
    template: 'Modelo',
    newTemplate: 'Novo modelo',
    outsideWindow:
      'A pessoa não escreve há mais de 24 horas. Na API oficial, só um modelo aprovado pode ser enviado agora.',
    sendTemplate: 'Enviar modelo',
    submit: 'Enviar para aprovação',
    deleteTemplate: 'Excluir modelo',
    deleteText: (name: string) =>
      `Excluir ${name} em todos os idiomas? A Meta não aceita outro com o mesmo nome por 30 dias.`,
    nameHint: 'Letras minúsculas, números e _',
    language: 'Idioma',
    category: 'Categoria',
    body: 'Texto',
    bodyHint: 'Use {{1}}, {{2}}… no lugar do que muda.',
    variable: (number: number) => `Valor de {{${number}}}`,
    example: (number: number) => `Exemplo para {{${number}}}`,
  },
  officialNetworks: {
    whatsapp: 'Celular, lendo um QR code',
    cloud_api: 'API oficial da Meta',
  },
  cloudFields: {
    phoneNumberId: 'Id do número',
    businessAccountId: 'Id da conta do WhatsApp Business',
    accessToken: 'Token de acesso',
    appSecret: 'Chave secreta do aplicativo',
  },
  cloudHints: {
    phoneNumberId: 'Em WhatsApp → Configuração da API. Não é o número do telefone.',
    businessAccountId: 'Na mesma página, também chamado de WABA.',
    accessToken: 'Guardado cifrado; não aparece de novo.',
    appSecret: 'Em Configurações → Básico. Confere a assinatura dos webhooks da Meta.',
  },
  templateCategories: {
    UTILITY: 'Utilidade',
    MARKETING: 'Marketing',
    AUTHENTICATION: 'Autenticação',
  },
  templateVerdicts: {
    APPROVED: 'Aprovado',
    PENDING: 'Em análise',
    REJECTED: 'Recusado',
    PAUSED: 'Pausado',
    DISABLED: 'Desativado',
  },
} as const
