/** Texts of the API reference: a description per operation, and the descriptions of responses. */
import { bodies } from './pt-br-bodies.ts'
import { ids, parameters } from './pt-br-parameters.ts'

/** What each operation does, beyond its title. */
const operations: Record<string, string> = {
  login:
    'Abre a sessão de uma pessoa e devolve um par de tokens. Com a verificação em duas etapas ligada, a resposta é 401 com `reason` OTP_REQUIRED até vir o `code`.',
  refreshSession: 'Troca o refreshToken por um novo par; o antigo deixa de valer.',
  listRequests:
    'As chamadas feitas com as chaves deste modo nos últimos sete dias, da mais nova para a mais antiga. `before` vem `null` na última página.',
  logout: 'Encerra a sessão. Os tokens deixam de valer na hora.',
  createKey: 'Cria uma chave do modo do host. O segredo aparece só nesta resposta: guarde-o.',
  listKeys: 'As chaves do modo do host, sem os segredos.',
  revokeKey: 'Revoga a chave. Requisições com ela recebem 401 na hora.',
  getMe:
    'O que a chave pode ver sobre si: projeto, modo, créditos e quanto do limite diário foi usado.',
  getUsage: 'Mensagens enviadas e recebidas por dia, instância e chave.',
  createInstance: 'Cria uma instância desconectada. Conecte-a e leia o QR para parear um número.',
  listInstances: 'As instâncias do modo, com o status de cada uma.',
  getInstance: 'Uma instância, com status, número, ajustes e restrição, se houver.',
  updateInstance: 'Muda o nome ou os ajustes. Só os campos enviados mudam.',
  deleteInstance: 'Encerra o pareamento e remove a instância. O histórico continua no painel.',
  connectInstance:
    'Reabre a conexão de um número pareado, ou começa a mostrar códigos para parear.',
  disconnectInstance: 'Fecha a conexão e guarda o pareamento. Mensagens na fila esperam.',
  logoutInstance: 'Desfaz o pareamento. Para voltar, leia um novo QR.',
  streamQr:
    'Eventos `ready`, `qr`, `status` e `ping` por server-sent events, até conectar. `token` é uma chave de API ou um token efêmero, que serve em um navegador.',
  pollQr: 'O código do momento e o status, para quem não pode abrir um stream.',
  getQrImage:
    'O código de agora, para um `<img>`: ele muda a cada 20 segundos, então peça de novo. Começa o pareamento, se for preciso. Aceita o token efêmero de `createQrToken` no lugar da chave.',
  createQrToken:
    'Um token que só abre o stream desta instância, por poucos minutos, em qualquer navegador.',
  createPairingLink:
    'Um endereço que você envia ao dono do número: ele lê o código, ou o digita no celular, sem ter conta. Vale 24 horas e um pareamento; criar outro encerra o anterior.',
  deletePairingLink: 'O link deixa de valer.',
  requestPairingCode: 'Um código de oito letras para digitar no telefone, em vez de ler o QR.',
  uploadMedia: 'Guarda um arquivo e devolve um `mediaId`, que serve em vários envios.',
  sendMessage:
    'Envia qualquer tipo, escolhido por `type`. A resposta 201 garante que a mensagem está gravada.',
  sendText: 'Envia um texto, com prévia de link, citação e menções opcionais.',
  sendMedia: 'Envia um arquivo por URL, base64 ou `mediaId`; `type` diz o tipo.',
  sendSticker: 'Envia uma figurinha WebP.',
  sendLocation: 'Envia um ponto no mapa, com nome e endereço opcionais.',
  sendContact: 'Envia até 50 contatos, por campos ou em vCard.',
  sendReaction: 'Reage com um emoji; vazio retira a reação.',
  sendPoll: 'Envia uma enquete. Os votos chegam como mensagens do tipo `pollVote`.',
  sendUpload: 'Envia um arquivo no próprio corpo, como multipart/form-data.',
  listMessages:
    'Mensagens da instância, da mais nova para a mais antiga, com filtros que se combinam.',
  getMessage: 'A mensagem e a hora de cada status por que passou.',
  editMessage: 'Edita o texto ou a legenda, até 15 minutos depois do envio.',
  deleteMessage: 'Apaga para todos uma mensagem enviada.',
  downloadMedia: 'Os bytes do arquivo, com o tipo e o nome originais. Aceita `Range`.',
  scheduleMessage:
    'Guarda um envio para a hora pedida e responde 201. Na hora, vira uma mensagem como qualquer outra, em `messageId`, e só então usa créditos. Se não puder ser enviada, fica `failed` com o motivo. Um arquivo é conferido e guardado já.',
  listScheduledMessages:
    'Agendadas, enviadas, canceladas e as que falharam, pela hora do envio. As encerradas saem da lista depois de 30 dias.',
  getScheduledMessage: 'Uma mensagem agendada, com a mensagem que ela virou ou o motivo da falha.',
  cancelScheduledMessage: 'Cancela o envio, se ele ainda não aconteceu. Repetir não muda nada.',
  markRead: 'Manda a confirmação de leitura das mensagens indicadas.',
  getResponseTimes:
    'Em quanto tempo os contatos receberam a primeira resposta, por dia: quantas esperas terminaram, a mediana e o percentil 90, em segundos. Uma espera vai da primeira mensagem do contato até a mensagem seguinte para ele. Campanhas não contam como resposta, e grupos ficam de fora.',
  listAllConversations:
    'Uma só caixa de entrada: as conversas de todas as instâncias, da mais recente para a mais antiga.',
  findConversation: 'Uma conversa, quando só se conhece o id dela.',
  listConversations:
    'Conversas, da mais recente para a mais antiga, com a última mensagem de cada uma.',
  getConversation: 'Uma conversa, com etiquetas e contagem de não lidas.',
  updateConversation:
    'Atribui a alguém da equipe, conclui, arquiva ou fixa a conversa. Só os campos enviados mudam. Uma mensagem do contato reabre a conversa.',
  listNotes: 'O que a equipe anotou sobre a conversa. O contato nunca vê.',
  createNote: 'Anota algo sobre a conversa, visível só para a equipe.',
  deleteNote: 'Apaga a nota para toda a equipe.',
  listQuickReplies: 'Os textos prontos do projeto. No painel, digite `/` e o atalho.',
  setCloudAccount:
    'Confere o token na Meta, guarda a conta cifrada, aponta os webhooks do número para esta instalação e abre a conexão. A instância deve ter sido criada com `network: cloud_api`; repita para trocar o token.',
  getCloudAccount:
    'Os ids da conta e o endereço do webhook com o seu token de verificação, para informar no painel da Meta se ela não aceitou o endereço. O token de acesso nunca é devolvido.',
  listTemplates: 'Como a Meta os tem agora, com o veredito da análise.',
  createTemplate:
    'A Meta analisa o modelo, em geral em minutos. Em teste, é aprovado na hora. Modelos com mídia ou botões são criados no painel da Meta.',
  deleteTemplate: 'A Meta não aceita outro com o mesmo nome por 30 dias.',
  sendTemplate:
    'Só em instâncias da API oficial, e a única mensagem aceita quando a pessoa não escreve há mais de 24 horas. `variables` preenche {{1}}, {{2}}… do corpo.',
  createQuickReply: 'Cria um texto pronto, com um atalho único no projeto.',
  updateQuickReply: 'Muda o atalho ou o texto. Só os campos enviados mudam.',
  deleteQuickReply: 'Apaga o texto pronto.',
  listMembers: 'As pessoas da conta e seus papéis, para atribuir conversas a elas.',
  listContacts: 'Contatos conhecidos pela instância, por nome.',
  importContacts:
    'Cria os contatos que faltam e muda os que já existem, pelo telefone. Números inválidos são relatados e o resto é importado.',
  getContact: 'Um contato, com o nome que a equipe deu e os campos que ela guarda.',
  updateContact:
    'Dá ao contato um nome que vale em toda parte, e guarda campos como CPF ou bairro. Só os campos enviados mudam.',
  mergeContact:
    'Para quando a rede mostrou a mesma pessoa duas vezes, uma pelo telefone e outra pelo LID. As conversas viram uma só.',
  listOptOuts:
    'Quem respondeu que não quer campanhas, e quem a equipe pôs na lista. Mensagens avulsas continuam possíveis.',
  addOptOuts: 'Ninguém da lista recebe campanhas, nem as que já estão em andamento.',
  deleteOptOut: 'A pessoa volta a receber campanhas.',
  checkContacts: 'Diz quais números existem na rede e em que forma ela os escreve.',
  listGroups: 'Grupos de que o número participa.',
  updateProfile: 'Muda o texto que o número mostra sobre si. Um texto vazio o retira.',
  getProfilePicture: 'A foto que os contatos veem.',
  removeProfilePicture: 'O número fica sem foto.',
  getGroupPicture: 'Lida da rede no máximo uma vez por dia, e de novo depois que a foto muda.',
  removeGroupPicture: 'O grupo fica sem foto. Exige ser administrador quando o grupo pede.',
  createGroup: 'Cria um grupo com os participantes indicados.',
  getGroup: 'Um grupo, com participantes e quem administra.',
  updateGroup: 'Muda o nome ou a descrição. Exige ser administrador quando o grupo pede.',
  changeParticipants: 'Adiciona, remove, promove ou rebaixa, e diz o resultado de cada número.',
  leaveGroup: 'Sai do grupo.',
  listLabels: 'Etiquetas da conta business.',
  createLabel: 'Cria uma etiqueta na conta business.',
  updateLabel: 'Muda o nome ou a cor da etiqueta.',
  deleteLabel: 'Apaga a etiqueta e a retira das conversas.',
  applyLabel: 'Aplica a etiqueta à conversa. Repetir não muda nada.',
  removeLabel: 'Retira a etiqueta da conversa. Repetir não muda nada.',
  listCalls: 'Chamadas recebidas, da mais nova para a mais antiga.',
  rejectCall: 'Recusa uma chamada que ainda está tocando.',
  createCampaign: 'Cria um rascunho, com a mensagem, as instâncias e o ritmo.',
  updateCampaign:
    'Muda um rascunho. Só os campos enviados mudam; a mensagem, só enquanto não houver destinatários.',
  listCampaigns: 'Campanhas do modo, com os contadores de cada uma.',
  getCampaign: 'Uma campanha, com os contadores por status.',
  startCampaign: 'Começa a enviar agora, ou na hora marcada.',
  pauseCampaign: 'Para depois da mensagem em andamento.',
  resumeCampaign: 'Continua no destinatário exato em que parou.',
  cancelCampaign: 'Encerra. Quem ainda não recebeu fica como ignorado.',
  listRecipients: 'Destinatários em ordem, com o resultado de cada um.',
  addRecipients:
    'Acrescenta destinatários em JSON ou CSV, e diz o problema de cada linha recusada.',
  createWebhook:
    'Registra um endereço para os eventos. O segredo da assinatura aparece só nesta resposta.',
  listWebhooks: 'Os webhooks do modo, com a saúde de cada um.',
  getWebhook: 'Um webhook, com a saúde das últimas entregas.',
  updateWebhook: 'Pausa ou retoma. O que acontece durante a pausa nunca é entregue.',
  rotateWebhookSecret:
    'Cria outro segredo, mostrado só aqui. Até o fim da sobreposição, o segredo anterior assina `X-Service-Signature`, o novo assina `X-Service-Signature-Next`, e `webhook-signature` traz as duas assinaturas.',
  deleteWebhook: 'Remove o webhook. O que esperava por ele não é entregue.',
  listDeliveries: 'Cada tentativa dos últimos 30 dias, com o status e a demora da resposta.',
  createPhone: 'Cria um telefone virtual, que faz o papel de um celular no modo de teste.',
  listPhones: 'Os telefones virtuais do projeto.',
  getPhone: 'Um telefone virtual e as instâncias pareadas com ele.',
  updatePhone: 'Muda o nome de perfil que os outros veem.',
  deletePhone: 'Remove o telefone. As instâncias pareadas com ele saem.',
  scanWithPhone: 'Lê o código de uma instância, como a câmera faria.',
  unpairPhone: 'Remove os aparelhos conectados, como nas configurações do celular.',
  takePhoneOffline: 'Tira o telefone da rede. O que lhe escrevem espera.',
  bringPhoneOnline: 'Devolve o telefone à rede. O que esperava é entregue.',
  changePhoneDevice:
    'A pessoa passa a usar outro celular: quem conversa com ela recebe o novo código de segurança.',
  banPhone: 'Bane o número. Suas instâncias ficam BANNED.',
  sendFromPhone: 'O telefone escreve a uma instância ou a um grupo.',
  editFromPhone: 'O telefone edita o que escreveu.',
  deleteFromPhone: 'O telefone apaga para todos o que escreveu.',
  pinFromPhone: 'O telefone fixa uma mensagem na conversa, para os dois lados.',
  unpinFromPhone: 'O telefone desafixa uma mensagem.',
  unpinMessage: 'Para todos. Quem fixou pode ter sido o contato.',
  unstarMessage: 'A mensagem deixa de aparecer entre as marcadas, em todos os aparelhos da conta.',
  starFromPhone: 'O telefone marca uma mensagem com estrela, que só ele vê.',
  unstarFromPhone: 'O telefone tira a estrela de uma mensagem.',
  keepFromPhone: 'O telefone mantém uma mensagem que desapareceria, para todos da conversa.',
  unkeepFromPhone: 'O telefone deixa de manter uma mensagem.',
  readOnPhone: 'O telefone lê mensagens que recebeu.',
  getPhoneInbox: 'O que o telefone recebeu, do mais novo para o mais antigo.',
  callFromPhone: 'O telefone liga para uma instância.',
  createPhoneGroup: 'O telefone cria um grupo.',
  updatePhoneGroup: 'O telefone muda o nome ou a descrição de um grupo.',
  changePhoneParticipants: 'O telefone muda participantes de um grupo, ou sai dele.',
  listPhoneLabels: 'Etiquetas de um telefone business.',
  createPhoneLabel: 'Cria uma etiqueta num telefone business.',
  updatePhoneLabel: 'Muda uma etiqueta do telefone.',
  deletePhoneLabel: 'Apaga uma etiqueta do telefone.',
  applyPhoneLabel: 'Aplica uma etiqueta do telefone a uma conversa.',
  removePhoneLabel: 'Retira uma etiqueta do telefone de uma conversa.',
  createInbox: 'Cria uma caixa que recebe webhooks, para ver o que chega sem escrever um servidor.',
  listInboxes: 'As caixas de teste do projeto.',
  getInbox: 'Uma caixa de teste e o que ela responde.',
  deleteInbox: 'Remove a caixa e o que ela recebeu.',
  listInboxRequests:
    'As últimas requisições recebidas, com cabeçalhos, corpo e se a assinatura confere.',
  setInboxAnswer: 'Escolhe o status e a demora da resposta, para testar retentativas.',
}

/** All texts of the reference. */
export const docs = {
  ids,
  parameters,
  operations,
  bodies,
  reference: {
    test: 'Teste: nada sai do simulador e nada é cobrado',
    production: (sandbox: string) =>
      `Produção: envios usam créditos. Para experimentar, abra ${sandbox}`,
  },
  csv: 'to,nome\n+55 11 99999-8888,Ana\n',
  files: {
    range: 'A faixa pedida',
    known: 'Quem pergunta já tem o arquivo',
  },
  success: 'Sucesso',
  noContent: 'Feito, sem corpo',
  error: 'O corpo de toda resposta de erro',
  faults:
    'Falha do servidor: 500 (interna), 503 (indisponível, com `Retry-After`) ou 507 (sem espaço para a requisição)',
  delivery:
    'POST que o Recado faz no endereço do webhook, repetido até receber 2xx, em até 15 s por tentativa. A ordem entre eventos não é garantida, e uma repetição tem o mesmo `webhook-id`.',
  deliveryAccepted: 'Entrega aceita',
  qrStream:
    'Server-sent events. Em cada um, `event` é o nome da linha `event:` e `data`, o JSON da linha `data:`.',
  headers: {
    'Accept-Ranges': 'Sempre `bytes`: o arquivo pode ser pedido em faixas.',
    'Content-Disposition': 'Se um navegador mostra ou baixa o arquivo, e com que nome.',
    'Content-Language': 'O idioma da mensagem: pt-BR, en ou es.',
    'Content-Range': 'A faixa enviada e o tamanho do arquivo.',
    ETag: 'Muda quando o conteúdo muda; serve em If-None-Match e If-Range.',
  },
  idempotentReplayed:
    'Presente quando a resposta é a de uma requisição anterior com a mesma chave.',
  requestId: 'Id da requisição, para procurá-la no painel e citá-la ao suporte.',
  rateLimit:
    'Em toda resposta a uma chave com limite próprio: quantas requisições restam (`r`) e em quantos segundos o limite volta ao total (`t`), como em `"key";r=599;t=1`. Quando o limite diário do modo de teste acaba: `"test-day";r=0;t=3600`.',
  rateLimitPolicy:
    'Em toda resposta a uma chave com limite próprio: quantas requisições (`q`) em quantos segundos (`w`), como em `"key";q=600;w=60`. No limite diário do modo de teste, quantas mensagens: `"test-day";q=100;w=86400`.',
  retryAfter: 'Segundos a esperar antes de tentar de novo.',
}
