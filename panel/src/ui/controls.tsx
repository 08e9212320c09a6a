import {
  createContext,
  use,
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { t } from '../phrases/phrases.ts'

/** What the server refused of the form around, by the name of the field: shown beside it. */
export const FieldFault = createContext<{ name: string; message: string } | null>(null)

/** What is wrong with a field, as the page found or as the server said. */
function useWrong({ name, wrong }: { name?: string | undefined; wrong?: string | undefined }) {
  const fault = use(FieldFault)
  return wrong ?? (fault && fault.name === name ? fault.message : undefined)
}

type Labelled = { label: string; hint?: string | undefined; wrong?: string | undefined }

function Labels(props: Labelled & { id: string; children: ReactNode }) {
  const { id, label, hint, wrong, children } = props
  return (
    <div className="campo">
      <label htmlFor={id}>{label}</label>
      {children}
      {(wrong ?? hint) && (
        <small id={`${id}-hint`} className={wrong ? 'conta falha' : undefined}>
          {wrong ?? hint}
        </small>
      )}
    </div>
  )
}

const told = (id: string, { hint, wrong }: Omit<Labelled, 'label'>) => ({
  id,
  'aria-invalid': wrong ? (true as const) : undefined,
  'aria-describedby': hint || wrong ? `${id}-hint` : undefined,
})

/** A labelled input, with a hint and the server's sentence about it. */
export function Field(props: InputHTMLAttributes<HTMLInputElement> & Labelled) {
  const { label, hint, wrong: found, ...input } = props
  const id = useId()
  const wrong = useWrong({ name: input.name, wrong: found })
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <input {...input} {...told(id, { hint, wrong })} />
    </Labels>
  )
}

/** The same of several lines. */
export function Area(props: TextareaHTMLAttributes<HTMLTextAreaElement> & Labelled) {
  const { label, hint, wrong: found, ...area } = props
  const id = useId()
  const wrong = useWrong({ name: area.name, wrong: found })
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <textarea rows={3} {...area} {...told(id, { hint, wrong })} />
    </Labels>
  )
}

/** A labelled choice: values and the words for them. */
export function Choice(
  props: SelectHTMLAttributes<HTMLSelectElement> &
    Labelled & { options: readonly (readonly [value: string, words: string])[] },
) {
  const { label, hint, wrong: found, options, ...select } = props
  const id = useId()
  const wrong = useWrong({ name: select.name, wrong: found })
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <select {...select} {...told(id, { hint, wrong })}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </Labels>
  )
}

/** A box to tick, with its words beside it. */
export function Check(props: InputHTMLAttributes<HTMLInputElement> & { label: string }) {
  const { label, ...input } = props
  return (
    <label className="marcavel">
      <input type="checkbox" {...input} /> {label}
    </label>
  )
}

export type Tone = 'ok' | 'alerta' | 'falha' | 'neutro'
/** A state as a bead and a word: never by colour alone. */
export function Bead({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`conta ${tone}`}>{children}</span>
}

/** Nothing there: a sentence, what to do about it, and the same as a command. */
export function Empty(props: { text: string; curl?: string; children?: ReactNode }) {
  const { text, curl, children } = props
  return (
    <div className="vazio">
      <p>{text}</p>
      {children}
      {curl && <pre tabIndex={0}>{curl}</pre>}
    </div>
  )
}

export function Skeleton({ height }: { height?: number | undefined }) {
  return (
    <div className="esqueleto" role="status" style={height ? { height } : {}}>
      <span className="visually-hidden">{t.common.loading}</span>
    </div>
  )
}

export function CancelButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="botao" onClick={onClick}>
      {t.common.cancel}
    </button>
  )
}
