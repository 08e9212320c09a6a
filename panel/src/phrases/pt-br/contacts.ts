import { plural } from '../plural.ts'
/** Contacts, opt-outs and pairing links. */
export const contacts = {
  contacts: {
    identityChanged: 'Código de segurança alterado:',
    identityAdvice: 'Antes de falar de dinheiro ou senhas, confirme que é a pessoa.',
    text: 'As pessoas que conversaram com este número ou que você importou.',
    empty:
      'Nenhum contato ainda. Eles aparecem quando alguém escreve, e você pode importar uma lista.',
    noneFound: 'Nenhum contato encontrado.',
    download: 'Baixar CSV',
    since: 'Desde',
    phoneColumn: 'telefone',
    nameColumn: 'nome',
    search: 'Buscar nome, número ou campo',
    people: 'Pessoas',
    optOuts: 'Não recebem campanhas',
    save: 'Salvar',
    profile: (name: string) => `No perfil: ${name}`,
    newField: 'Novo campo',
    fieldName: 'Campo',
    fieldValue: 'Valor',
    receives: 'Recebe campanhas',
    samePerson: 'É a mesma pessoa que outro contato?',
    other: 'Outro contato',
    merge: 'Juntar contatos',
    mergeText: (one: string, other: string) =>
      `${one} e ${other} viram um só contato, com uma só conversa. Não dá para separar depois.`,
    talk: 'Abrir conversa',
    importCsv: 'Importar CSV',
    importText:
      'A primeira linha dá nome às colunas: telefone, nome e os campos que você quiser, como bairro ou CPF. Quem já existe é atualizado.',
    file: 'Arquivo CSV',
    read: (count: number) =>
      plural('pt-BR', count, {
        one: 'contato lido. Confira antes de importar:',
        other: 'contatos lidos. Confira os primeiros antes de importar:',
      }),
    firstLines: 'Primeiros contatos do arquivo',
    fields: 'Campos',
    importAll: (count: number) =>
      `Importar ${plural('pt-BR', count, { one: 'contato', other: 'contatos' })}`,
    imported: (count: number) =>
      plural('pt-BR', count, { one: 'contato importado.', other: 'contatos importados.' }),
    progress: (done: number, all: number) => `${done} de ${all} contatos…`,
    refused: (count: number) =>
      plural('pt-BR', count, { one: 'linha ficou de fora:', other: 'linhas ficaram de fora:' }),
    repeated: (count: number) =>
      count === 1
        ? 'Uma linha repete o número de outra: vale a última.'
        : `${count} linhas repetem o número de outra: vale a última.`,
    noNumber: 'sem número',
    lineWithout: (line: number, message: string) => `Linha ${line}: ${message}`,
    spreadsheet: 'O arquivo é uma planilha ou um documento: salve-o como CSV e escolha-o de novo.',
    noLines: 'O arquivo não tem contatos: falta uma coluna com telefones.',
    addOptOuts: 'Adicionar à lista',
    optOutPhones: 'Telefones',
    optOutHint: 'Um por linha, com DDD.',
    noOptOuts: 'Ninguém pediu para sair. Quem responde SAIR a uma campanha entra aqui sozinho.',
    how: 'Como',
    includeAgain: 'Voltar a incluir',
    includeAgainText: (phone: string) =>
      `${phone} volta a receber campanhas. Faça isso só se a pessoa pediu.`,
    byReply: 'respondeu à campanha',
    byTeam: 'pela equipe',
  },
  pairLink: {
    title: (company: string) => `Conectar o WhatsApp de ${company}`,
    anyTitle: 'Conectar o WhatsApp',
    done: (name: string) => `${name} está conectada.`,
    doneText: 'Você já pode fechar esta página. O WhatsApp não precisa ficar aberto no celular.',
    samePhone: 'Estou no celular que vai ser conectado',
    typeCode:
      'No WhatsApp, abra Aparelhos conectados, toque em Conectar com número de telefone e digite este código.',
    offer: 'Enviar um link para quem está com o celular',
    offerText:
      'A pessoa abre o link, lê o código e conecta o número, sem precisar de conta. O link vale por 24 horas, para um único pareamento.',
    until: (when: string) => `Vale até ${when}.`,
    create: 'Criar link',
    another: 'Criar outro link',
    end: 'Encerrar link',
  },
}
