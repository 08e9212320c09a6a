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
/** Longer texts are never opt-outs and are not normalized, which is quadratic in runs of combining marks. */
const MAX_OPT_OUT_LENGTH = 100
const OPT_IN = new Set(['voltar', 'start'])

/**
 * Returns `out` if a reply opts out of campaigns, `in` if it opts back in, else null. The whole
 * text must be a keyword; case, accents and punctuation are ignored.
 */
export function parseOptOut(text: string | null): 'out' | 'in' | null {
  if (text === null || text.length > MAX_OPT_OUT_LENGTH) return null
  const plain = foldText(text)
  if (OPT_OUT.has(plain)) return 'out'
  return OPT_IN.has(plain) ? 'in' : null
}
