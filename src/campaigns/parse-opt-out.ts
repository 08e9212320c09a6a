import { foldText } from '../kernel/text.ts'

const OPT_OUT = new Set([
  'sair',
  'parar',
  'pare',
  'stop',
  'remover',
  'descadastrar',
  'unsubscribe',
  'cancelar inscricao',
  'nao quero receber',
  'nao quero mais receber',
])
/** Anything longer is no wish, and is not folded: normalization is quadratic in runs of combining marks. */
const MAX_OPT_OUT_LENGTH = 100
const OPT_IN = new Set(['voltar', 'start'])

/**
 * Whether an answer asks for no more campaigns (`out`), or for them again (`in`): the whole text is one of the words,
 * whatever its case, accents and punctuation.
 */
export function parseOptOut(text: string | null): 'out' | 'in' | null {
  if (text === null || text.length > MAX_OPT_OUT_LENGTH) return null
  const plain = foldText(text)
  if (OPT_OUT.has(plain)) return 'out'
  return OPT_IN.has(plain) ? 'in' : null
}
