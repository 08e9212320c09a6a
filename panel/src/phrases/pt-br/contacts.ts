/** Contacts and opt-outs. */
export const contacts = {
  contacts: {
    text: 'As pessoas que conversaram com este número ou que você importou.',
    empty:
      'Nenhum contato ainda. Eles aparecem quando alguém escreve, e você pode importar uma lista.',
    noneFound: 'Nenhum contato encontrado.',
    download: 'Baixar CSV',
    since: 'Desde',
    phoneColumn: 'telefone',
    nameColumn: 'nome',
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
    imported: (count: number) =>
      count === 1 ? '1 contato importado.' : `${count} contatos importados.`,
    progress: (done: number, all: number) => `${done} de ${all} contatos…`,
    refused: (count: number) =>
      count === 1 ? '1 linha ficou de fora:' : `${count} linhas ficaram de fora:`,
    refusedLine: (phone: string, message: string) => `${phone || '—'}: ${message}`,
    noLines: 'O arquivo não tem contatos: falta uma coluna com telefones.',
    addOptOuts: 'Acrescentar à lista',
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
}
