import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { t } from '../phrases/phrases.ts'

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

const told = (id: string, { hint, wrong }: Labelled) => ({
  id,
  'aria-invalid': wrong ? (true as const) : undefined,
  'aria-describedby': hint || wrong ? `${id}-hint` : undefined,
})

/** A labelled input, with a hint and the server's sentence about it. */
export function Field(props: InputHTMLAttributes<HTMLInputElement> & Labelled) {
  const { label, hint, wrong, ...input } = props
  const id = useId()
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <input {...input} {...told(id, props)} />
    </Labels>
  )
}

/** The same of several lines. */
export function Area(props: TextareaHTMLAttributes<HTMLTextAreaElement> & Labelled) {
  const { label, hint, wrong, ...area } = props
  const id = useId()
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <textarea rows={3} {...area} {...told(id, props)} />
    </Labels>
  )
}

/** A labelled choice: values and the words for them. */
export function Choice(
  props: SelectHTMLAttributes<HTMLSelectElement> &
    Labelled & { options: readonly (readonly [value: string, words: string])[] },
) {
  const { label, hint, wrong, options, ...select } = props
  const id = useId()
  return (
    <Labels {...{ id, label, hint, wrong }}>
      <select {...select} {...told(id, props)}>
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
