import { useId, useState, type FormEvent, type InputHTMLAttributes, type ReactNode } from 'react'
import { ApiError } from '../api.ts'
import { t } from '../phrases/phrases.ts'

/** A labelled input, with a hint and the server's sentence about it. */
export function Field(
  props: InputHTMLAttributes<HTMLInputElement> & { label: string; hint?: string; wrong?: string },
) {
  const { label, hint, wrong, ...input } = props
  const id = useId()
  return (
    <div className="campo">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        {...input}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={hint || wrong ? `${id}-hint` : undefined}
      />
      {(wrong ?? hint) && (
        <small id={`${id}-hint`} className={wrong ? 'conta falha' : undefined}>
          {wrong ?? hint}
        </small>
      )}
    </div>
  )
}

/** The server's sentence as it is, its code and its request, and a way to try again. */
export function ErrorBlock({ error, retry }: { error: unknown; retry?: () => void }) {
  const known = error instanceof ApiError ? error : null
  return (
    <div className="erro" role="alert">
      <strong>{error instanceof Error ? error.message : String(error)}</strong>
      {known?.requestId && (
        <small>{t.common.details(known.reason ?? known.code, known.requestId)}</small>
      )}
      {retry && (
        <div>
          <button type="button" className="botao" onClick={retry}>
            {t.common.retry}
          </button>
        </div>
      )}
    </div>
  )
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="botao"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(true))
      }}
    >
      <span aria-live="polite">{copied ? t.common.copied : (label ?? t.common.copy)}</span>
    </button>
  )
}

export type Tone = 'ok' | 'alerta' | 'falha' | 'neutro'
/** A state as a bead and a word: never by colour alone. */
export function Bead({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`conta ${tone}`}>{children}</span>
}

/** A form whose act may fail: shows the failure, and cannot be sent twice at once. */
export function ActForm(props: {
  act: (form: FormData) => Promise<unknown>
  label: string
  children: ReactNode
  danger?: boolean
  beside?: ReactNode
}) {
  const { act, label, children, danger = false, beside } = props
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setError(null)
    try {
      await act(form)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="pilha-menor" onSubmit={(event) => void submit(event)}>
      {children}
      {error !== null && <ErrorBlock error={error} />}
      <div className="linha">
        <button
          type="submit"
          className={danger ? 'botao perigo' : 'botao principal'}
          disabled={busy}
        >
          {label}
        </button>
        {beside}
      </div>
    </form>
  )
}

/** A field of a form as it was typed. */
export function typed(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** The same without the spaces around it. */
export const textOf = (form: FormData, name: string): string => typed(form, name).trim()

export function Empty({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="vazio">
      <p>{text}</p>
      {children}
    </div>
  )
}

export function Skeleton() {
  return (
    <div className="esqueleto" role="status">
      <span className="visually-hidden">{t.common.loading}</span>
    </div>
  )
}

/** A time as people of the company read it; its exact form on hover. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <>{t.common.never}</>
  const text = new Date(at).toLocaleString(document.documentElement.lang, {
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}

export function CancelButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="botao" onClick={onClick}>
      {t.common.cancel}
    </button>
  )
}
