const MIN_LENGTH = 8
/** Shorter words occur in too many good passwords to be rejected with any number attached. */
const MIN_WORD_LENGTH = 4
/** What people append to a word so that it passes for a password, such as the year. */
const DECORATION = /^[\d\W_]{0,6}|[\d\W_]{0,6}$/g
/** Words that Brazilians use as passwords, and that lists of leaked ones lack with most numbers. */
const BRAZILIAN_WORDS =
  'senha senhas mudar teste acesso entrar admin administrador usuario brasil brasileiro corinthians palmeiras flamengo saopaulo santos vasco gremio internacional cruzeiro atletico botafogo fluminense bahia vitoria fortaleza ceara sport coritiba familia felicidade saudade jesus jesuscristo deusefiel amordaminhavida gostosa princesa coracao recado whatsapp empresa loja vendas atendimento padaria clinica'

let loading: Promise<ReadonlySet<string>> | null = null

/** Loads the most common leaked passwords, and the Brazilian words, in lower case. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set([...dictionary['passwords-common'], ...BRAZILIAN_WORDS.split(' ')])
}

/**
 * Whether a password is among the most common leaked ones, ignoring case, or such a word with a few digits and signs
 * before or after it.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load()
  const common = await loading
  const lower = password.toLowerCase()
  const word = lower.replaceAll(DECORATION, '')
  return (
    (lower.length >= MIN_LENGTH && common.has(lower)) ||
    (word.length >= MIN_WORD_LENGTH && word !== lower && common.has(word))
  )
}
