/** Everything that the command line says to its user. */
export const say = {
  about:
    'Recado no terminal: receba eventos no seu computador, provoque-os no simulador e envie mensagens.',
  options: {
    profile: 'perfil salvo por `recado login`',
    key: 'chave de API; também RECADO_KEY',
    url: 'endereço da API; também RECADO_URL',
    help: 'mostra esta ajuda',
    json: 'uma linha de JSON por resultado',
    version: 'mostra a versão',
    wait: 'espera até a rede aceitar ou recusar a mensagem',
    idempotencyKey: 'repete um envio sem mandar duas vezes',
    instance: 'instância; sem isto, a única ou a primeira conectada',
    events: 'só estes eventos, separados por vírgula',
    forwardTo: 'endereço do seu programa, como http://localhost:8080/recado',
    durable:
      'guarda até 50 eventos da última hora enquanto este programa está parado (modo de teste)',
    secret: 'segredo que assina; sem isto, o do perfil',
    run: 'continua uma execução cuja resposta se perdeu, sem enviar de novo',
    failed: 'só as que falharam',
    once: 'mostra o que há e termina',
    name: 'nome',
    virtual: 'um telefone virtual lê o código (modo de teste)',
    business: 'telefone com WhatsApp Business, que tem etiquetas',
  },
  commands: {
    login: 'guarda uma chave de API neste computador',
    logout: 'esquece a chave de um perfil',
    listen: 'recebe eventos e os entrega ao seu programa, assinados como um webhook',
    trigger: 'provoca um evento no simulador',
    send: 'envia um texto',
    logs: 'as tentativas de entrega dos webhooks',
    requests: 'as chamadas à API',
    tail: 'mostra e acompanha',
    instances: 'instâncias',
    list: 'lista',
    create: 'cria',
    pair: 'pareia: mostra o código QR aqui',
    phones: 'telefones virtuais',
    fixtures: 'prepara dados de exemplo',
    run: 'executa as chamadas de um arquivo JSON, em ordem',
    open: 'abre uma página do painel no navegador e mostra o endereço; com --json, só mostra',
    doctor: 'confere chave, servidor, relógio, WebSocket, instâncias e webhooks',
    completion: 'completa comandos no bash, zsh ou fish',
    mcp: 'servidor MCP em stdio, com as ferramentas que a chave permite',
  },
  codes:
    '\nCódigos de saída: 0 certo, 1 a operação falhou, 2 comando inválido, 3 chave ausente ou recusada,\n4 servidor fora do ar ou que não é o Recado, 130 interrompido.',
  askKey: 'Chave de API (svc_test_… ou svc_live_…)',
  noKey: 'Nenhuma chave. Rode `recado login`, ou defina RECADO_KEY.',
  badKey:
    'Isto não é uma chave inteira: ela começa com svc_test_ ou svc_live_, e aparece uma única vez, ao ser criada.',
  emptyKey: 'A entrada está vazia: mande a chave nela, ou rode `recado login` em um terminal.',
  noProfile: (name: string) => `Não há perfil ${name}. Rode \`recado login --profile ${name}\`.`,
  loggedIn: (company: string, mode: string, profile: string) =>
    `${company}, modo ${mode === 'test' ? 'de teste' : 'de produção'}. Guardado no perfil ${profile}.`,
  loggedOut: (profile: string) =>
    `O perfil ${profile} foi esquecido. A chave continua valendo: revogue-a no painel.`,
  refusedKey: (why: string, url: string) =>
    `${url} recusou a chave: ${why}. Confira se o endereço é o do modo dela, ou rode \`recado login\` com outra.`,
  refusedPermission: (why: string) =>
    `${why}. Use uma chave que permita isso: crie-a no painel, em Chaves de API.`,
  otherMode: (isTest: boolean, url: string) =>
    `A chave é de ${isTest ? 'teste' : 'produção'} e o perfil guarda o endereço do outro modo (${url}). Informe o desta chave com --url ou RECADO_URL.`,
  noBrowser: 'Nenhum navegador abriu: copie o endereço acima.',
  unreachable: (url: string) =>
    `Nada responde em ${url}. O servidor está no ar? Para outro endereço: --url ou RECADO_URL.`,
  connectionLost: (url: string) => `a conexão com ${url} caiu; tentando de novo…`,
  connectedAgain: (url: string) => `a conexão com ${url} voltou`,
  redirected: (url: string, target: string) =>
    `${url} redireciona para ${target}: use esse endereço em --url ou RECADO_URL.`,
  maybeMade: (url: string, key: string) =>
    `A resposta de ${url} se perdeu, e a chamada pode ter sido feita. Confira antes de repetir; ` +
    `um envio se repete com --idempotency-key ${key}, que não manda duas vezes.`,
  outcomeUnknown: (url: string, key: string | null) =>
    `A resposta de ${url} se perdeu: não se sabe se a chamada foi feita. ` +
    (key === null
      ? 'Confira antes de repetir.'
      : `Repita com idempotencyKey: "${key}", que não faz a mesma chamada duas vezes.`),
  notArrived: 'a mensagem do celular virtual não chegou em 10 s: veja o status da instância',
  notMessage: 'cada linha é uma mensagem JSON-RPC: um objeto, não um lote',
  notRecado: (url: string) =>
    `O que responde em ${url} não é a API do Recado. Há um proxy no meio, ou o endereço é outro?`,
  testOnly:
    'Este comando usa o simulador, que só existe no modo de teste: use uma chave svc_test_….',
  nameInstance: (why: string) =>
    `Não foi possível procurar a instância: ${why}. Se a chave não pode listar instâncias, informe o id com --instance (está no painel, em Instâncias).`,
  noInstance: 'Não há instância. Crie uma com `recado instances create`.',
  whichInstance: 'Há mais de uma instância: escolha com --instance.',
  whichToPair:
    'Há mais de uma instância por parear: escolha com `recado instances pair <id>`. Os ids estão em `recado instances list`.',
  allConnected: 'Todas as instâncias estão conectadas. Crie outra com `recado instances create`.',
  unknownEvent: (name: string, known: string) =>
    `Evento desconhecido: ${name}. Os eventos são: ${known}.`,
  badApiUrl: (url: string) =>
    `Endereço inválido: ${url}. Informe o da API, como https://api.suaempresa.com.br.`,
  badUrl: (url: string) =>
    `Endereço inválido: ${url}. Informe algo como http://localhost:8080/recado.`,
  listening: (url: string) => `Recebendo eventos e entregando em ${url}. Ctrl+C termina.`,
  listeningOnly: 'Recebendo eventos. Ctrl+C termina.',
  secret: (secret: string) => `Segredo das assinaturas: ${secret}`,
  gap: (from: string, until: string) =>
    `a conexão caiu: eventos entre ${from} e ${until} podem faltar aqui (webhooks e --durable não perdem)`,
  appDown: (url: string) => `nada responde em ${url}: inicie seu programa ou corrija --forward-to`,
  appBroke: (url: string) =>
    `seu programa em ${url} fechou a conexão sem uma resposta HTTP inteira: veja o log dele`,
  appSlow: 'seu programa não respondeu em 15 s: responda 2xx antes de processar o evento',
  appRedirects: (to: string) => `redirecionou para ${to}: aponte --forward-to direto para lá`,
  appRedirectsNowhere:
    'redireciona em círculos ou para onde não se pode ir: aponte --forward-to para o endereço final',
  appRefuses: 'seu programa não aceitou o evento: veja o log dele; 2xx aceita',
  durableNeedsTarget: '--durable entrega ao seu programa: informe também --forward-to.',
  durableNeedsTest:
    '--durable guarda os eventos em uma caixa de teste: use uma chave de teste (svc_test_…). Em produção, crie um webhook.',
  durableNeedsLogin:
    '--durable guarda no perfil o que já entregou: rode `recado login` com esta chave.',
  inboxFull: (most: number) =>
    `a caixa de teste guarda ${most} requisições e está cheia: eventos mais antigos podem ter se perdido`,
  notSigned: (id: number) =>
    `a requisição ${id} da caixa de teste não veio do webhook e foi ignorada`,
  badSecret: 'O segredo começa com whsec_.',
  badProfiles: (file: string) =>
    `O arquivo ${file} não pode ser lido. Corrija-o, ou apague-o e rode \`recado login\`.`,
  unreadable: (file: string, code: string) =>
    `O arquivo ${file} não pode ser lido (${code}). Confira as permissões da pasta, ou aponte XDG_CONFIG_HOME para outra.`,
  unwritable: (file: string, code: string) =>
    `Não foi possível gravar ${file} (${code}). Confira as permissões da pasta, ou aponte XDG_CONFIG_HOME para outra.`,
  refusedEvents: (why: string) =>
    `${why}. Confira a chave no painel, em Chaves de API, ou rode \`recado login\` com outra.`,
  onlyInstances: (ids: string[]) =>
    `A chave só alcança algumas instâncias: escolha uma com --instance (${ids.join(', ')}).`,
  needsBusiness: (why: string) =>
    `${why}. Rode sem --instance, que prepara uma com WhatsApp Business.`,
  unexpected: (why: string) => `Erro inesperado: ${why}. Se continuar, avise em Issues do projeto.`,
  retrying: (seconds: number) => `tenta de novo em ${seconds} s`,
  triggered: (event: string, instance: string) => `${event} provocado na instância ${instance}`,
  preparing: 'Nenhuma instância conectada: criando uma, com um telefone virtual…',
  sent: (id: string, status: string) => `${id} ${status}`,
  acceptedOnly: (id: string, why: string) =>
    `A mensagem ${id} foi aceita e não precisa ser enviada de novo, mas não deu para acompanhá-la. ${why}`,
  stillWaiting: (id: string, status: string) =>
    `A mensagem ${id} está ${status} há um minuto: veja o status da instância. Ela não precisa ser enviada de novo.`,
  byDefault: (value: string) => `padrão: ${value}`,
  placeholders: { options: 'opções', command: 'comando' },
  scanWith: 'Leia com o celular: WhatsApp > Aparelhos conectados > Conectar um aparelho.',
  paired: (id: string) => `Conectada: ${id}`,
  stopped: (status: string) => `A instância parou em ${status}.`,
  unknownShell: (shell: string) => `Shell desconhecido: ${shell}. Use bash, zsh ou fish.`,
  badFixtures: (why: string) =>
    `Arquivo inválido: ${why}. Cada passo é {"call": "POST /v1/…", "body": {…}, "save": "nome"}.`,
  noFile: (file: string, code: string) =>
    code === 'ENOENT' ? `${file} não existe` : `${file} não pode ser lido (${code})`,
  noSteps: 'a lista está vazia',
  badStep: (number: number) => `passo ${number}`,
  fixtureStep: (call: string, status: number) => `${call} ${status}`,
  stepUnknown: (call: string, url: string, run: string) =>
    `A resposta de ${url} se perdeu: não se sabe se ${call} foi feita. Confira e repita com --run ${run}: o que aceita Idempotency-Key, como um envio, não é feito duas vezes.`,
  badRun: '--run recebe o id que a execução anterior mostrou.',
  unknownName: (name: string) => `\${${name}} não foi guardado por um passo anterior`,
  checks: {
    server: 'servidor',
    key: 'chave',
    clock: 'relógio',
    cap: 'limite do dia',
    credits: 'créditos',
    websocket: 'WebSocket',
    instances: 'instâncias',
    webhooks: 'webhooks',
  },
  clockSkew: (seconds: number) =>
    `este computador está ${seconds} s distante do servidor: assinaturas com mais de 300 s são recusadas`,
  clockFine: 'em dia',
  capUsed: (used: number, limit: number) => `${used} de ${limit} mensagens de teste hoje`,
  creditsLeft: (credits: number) =>
    credits > 0 ? `${credits}` : 'nenhum: envios pela API são recusados até a compra de mais',
  noFirstFrame: 'nada chegou em 5 s',
  websocketFails: (why: string) => `não conecta (${why}): o proxy aceita Upgrade?`,
  modes: { test: 'modo de teste', production: 'modo de produção' },
  nothingYet: 'Nada ainda.',
  connected: (count: number, total: number) => `${count} de ${total} conectadas`,
  webhookFails: (name: string, why: string) => `${name} falha: ${why}`,
  webhooksFine: (count: number) => `${count} sem falha recente`,
  titles: {
    'Usage:': 'Uso:',
    'Options:': 'Opções:',
    'Commands:': 'Comandos:',
    'Arguments:': 'Argumentos:',
  } as Record<string, string>,
  usage: (code: string, given: string) => {
    const what: Record<string, string> = {
      'commander.unknownCommand': 'comando desconhecido',
      'commander.unknownOption': 'opção desconhecida',
      'commander.missingArgument': 'falta um argumento',
      'commander.excessArguments': 'argumentos demais',
      'commander.optionMissingArgument': 'falta o valor de uma opção',
      'commander.help': 'falta o comando',
    }
    const name = /'([^']+)'/.exec(given)?.[1]
    return `${what[code] ?? given}${name ? `: ${name}` : ''}. Veja \`recado --help\`.`
  },
} as const
