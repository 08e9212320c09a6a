import { Check } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { ApiError } from '../data/api.ts'
import { capitalize, t } from '../phrases/phrases.ts'
import { FieldError } from './controls.tsx'
import { ErrorBlock } from './error-block.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

/** How long a form says that it has saved. */
const SAVED_MS = 2500

/** State of an async action: last error, whether it is running, and `run`, which does nothing while it is running. */
export function useAction<Input = void>(act: (input: Input) => Promise<unknown>) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  // A ref, since a held key repeats before the disabled button renders.
  const inFlight = useRef(false)
  async function run(input: Input): Promise<void> {
    if (inFlight.current) return
    inFlight.current = true
    setBusy(true)
    setError(null)
    try {
      await act(input)
    } catch (failure) {
      setError(failure)
    } finally {
      inFlight.current = false
      setBusy(false)
    }
  }
  const clear = () => setError(null)
  return { error, busy, run: (input: Input) => void run(input), clear }
}

/** The name at the end of a field's path, such as `min` of `window.min` or `phones` of `phones[2]`. */
const LAST_NAME = /(\w+)(?:\[\d+\])?$/

/** The sentence of an error beside its field, which needs no name in front of it. */
function withoutName({ field, message }: ApiError): string {
  const [, name, rest = ''] = /^([\w.[\]]+): (.+)$/s.exec(message) ?? []
  const isName = name !== undefined && (field === name || field?.endsWith(`.${name}`))
  return isName ? capitalize(rest) : message
}

/** The control that an error is about, if the form has it. */
function findRefused(form: HTMLFormElement, error: unknown): HTMLElement | null {
  if (!(error instanceof ApiError) || error.field === null) return null
  const [, name = ''] = LAST_NAME.exec(error.field) ?? []
  const found = [...form.elements].find((one) => one.getAttribute('name') === name)
  return found instanceof HTMLElement && found.matches('input, textarea, select') ? found : null
}

/** A form with an async action: shows an error beside the field it is about, if any, and prevents double submission. */
export function ActionForm(props: {
  act: (form: FormData) => Promise<unknown>
  /** The button label. Defaults to “Save”, with a confirmation once saved. */
  label?: string
  children?: ReactNode
  danger?: boolean
  disabled?: boolean
  secondary?: ReactNode
  /** Asks before what was filled in is lost by leaving the page: for a form that is a page. */
  isPage?: boolean
  /** The search parameters that name what the form edits: the form also asks before one of them changes. */
  edits?: readonly string[]
}) {
  const { act, label, children, danger = false, disabled = false, secondary: beside } = props
  const { edits, isPage = edits !== undefined } = props
  const isUnsaved = useRef(false)
  const words = label ?? t.common.save
  const [fault, setFault] = useState<{ name: string; message: string } | null>(null)
  const [saved, setSaved] = useState(false)
  useEffect(() => {
    if (!saved) return
    const timer = window.setTimeout(() => setSaved(false), SAVED_MS)
    return () => window.clearTimeout(timer)
  }, [saved])
  const { error, busy, run } = useAction(async (form: HTMLFormElement) => {
    setFault(null)
    setSaved(false)
    const wasUnsaved = isUnsaved.current
    // The action may lead to another page.
    isUnsaved.current = false
    try {
      await act(new FormData(form))
      setSaved(label === undefined)
    } catch (failure) {
      isUnsaved.current = wasUnsaved
      const refused = findRefused(form, failure)
      if (!refused || !(failure instanceof ApiError)) throw failure
      setFault({ name: refused.getAttribute('name') ?? '', message: withoutName(failure) })
      refused.focus()
    }
  })
  return (
    <>
      {isPage && (
        <UnsavedGuard isUnsaved={() => isUnsaved.current} {...(edits ? { names: edits } : {})} />
      )}
      <form
        className="stack-small"
        onChange={() => (isUnsaved.current = true)}
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault()
          run(event.currentTarget)
        }}
      >
        <FieldError value={fault}>{children}</FieldError>
        {error !== null && <ErrorBlock error={error} />}
        <div className="row">
          <button
            type="submit"
            className={danger ? 'button danger' : 'button primary'}
            disabled={busy || disabled}
          >
            <span aria-live="polite">{saved ? t.common.saved : words}</span>
            {saved && <Check size={16} aria-hidden />}
          </button>
          {beside}
        </div>
      </form>
    </>
  )
}

/** A button with an async action, with its error shown below. */
export function ActionButton(props: {
  act: () => Promise<unknown>
  label: ReactNode
  kind?: 'primary' | 'danger'
  disabled?: boolean
  name?: string
}) {
  const { act, label, kind, disabled = false, name } = props
  const { error, busy, run } = useAction(act)
  return (
    <>
      <button
        type="button"
        className={kind ? `button ${kind}` : 'button'}
        disabled={busy || disabled}
        aria-label={name}
        onClick={() => run()}
      >
        {label}
      </button>
      {error !== null && <ErrorBlock error={error} />}
    </>
  )
}

/** The text of a form field as typed; empty if the field is missing. */
export function rawText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** The trimmed text of a form field. */
export const trimmedText = (form: FormData, name: string): string => rawText(form, name).trim()
