import { plural } from '../plural.ts'
/** Controls that many pages use. */
export const controls = {
  newCampaign: {
    edit: 'Editar o rascunho',
    noDraft: 'Esta campanha não é mais um rascunho.',
    messageStays: 'A mensagem não muda: a lista foi conferida com ela, ou ela tem um arquivo.',
    noneConnected: 'Conecte uma instância para criar uma campanha.',
    createDraft: 'Criar rascunho',
    nameHint: 'Só você vê este nome.',
    audience: 'Público',
    message: 'Mensagem',
    pace: 'Ritmo',
    from: 'Enviar de',
    lines: (count: number) =>
      plural('pt-BR', count, { one: 'pessoa na lista', other: 'pessoas na lista' }),
    speed: 'Velocidade',
    careful: 'Cuidadoso',
    carefulText: '20 a 45 s entre mensagens, 150 por dia. Para números novos.',
    normal: 'Normal',
    normalText: '8 a 25 s entre mensagens, 600 por dia.',
    own: 'Personalizado',
    ownText: 'Você define os intervalos e o limite.',
    someDay: 'Escolha ao menos um dia da semana.',
    notColumns: (names: string) =>
      `${names}: a lista não tem coluna com este nome, e ninguém receberia a mensagem.`,
    previewHint: 'Escolha um CSV para ver as primeiras mensagens preenchidas.',
    download: 'Baixar resultados (CSV)',
  },
  health: {
    failing: 'falhando',
    working: 'funcionando',
    unused: 'sem entregas',
  },
  views: {
    title: 'Visões',
    save: 'Salvar esta visão',
    remove: (name: string) => `Excluir a visão ${name}`,
  },
  table: {
    chosen: (count: number) =>
      plural('pt-BR', count, { one: 'selecionado', other: 'selecionados' }),
    choose: 'Selecionar',
    chooseAll: 'Selecionar todos',
  },
  shell: {
    contacts: 'Contatos',
    userMenu: 'Empresa e usuário',
    theme: 'Tema',
    language: 'Idioma',
    sessions: 'Sessões',
    search: 'Buscar',
  },
  picker: {
    choose: 'Escolher data e hora',
    clear: 'Limpar',
    past: 'Escolha um horário no futuro.',
    needed: 'Escolha o dia e a hora.',
    timeOfDay: 'Hora',
    done: 'Pronto',
  },
} as const
