import {
  createContext,
  use,
  useId,
  useRef,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { Eye, EyeOff, Upload } from 'lucide-react'
import { t } from '../phrases/phrases.ts'

/** The server's error about one field of the surrounding form, shown beside the field of that name. */
export const FieldError = createContext<{ name: string; message: string } | null>(null)

/** The error of a field, found by the page or reported by the server. */
function useWrong({ name, wrong }: { name?: string | undefined; wrong?: string | undefined }) {
  const fault = use(FieldError)
  return wrong ?? (fault && fault.name === name ? fault.message : undefined)
}

type Labelled = {
  label: string
  hint?: string | undefined
  wrong?: string | undefined
  /** Show the label to screen readers only, e.g. where a placeholder says the same. */
  quiet?: boolean | undefined
}

function Labels(props: Labelled & { id: string; children: ReactNode }) {
  const { id, label, hint, wrong, quiet = false, children } = props
  return (
    <div className="field">
      <label htmlFor={id} className={quiet ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children}
      {(wrong ?? hint) && (
        <small id={`${id}-hint`} className={wrong ? 'status bad' : undefined}>
          {wrong ?? hint}
        </small>
      )}
    </div>
  )
}

const describedBy = (id: string, { hint, wrong }: Omit<Labelled, 'label'>) => ({
  id,
  'aria-invalid': wrong ? (true as const) : undefined,
  'aria-describedby': hint || wrong ? `${id}-hint` : undefined,
})

/** A labeled input with a hint or an error message. */
export function Field(props: InputHTMLAttributes<HTMLInputElement> & Labelled) {
  const { label, hint, wrong: found, quiet, ...input } = props
  const id = useId()
  const errorText = useWrong({ name: input.name, wrong: found })
  return (
    <Labels id={id} label={label} hint={hint} wrong={errorText} quiet={quiet}>
      {input.type === 'file' ? (
        <FileInput {...input} {...describedBy(id, { hint, wrong: errorText })} />
      ) : input.type === 'password' ? (
        <PasswordInput {...input} {...describedBy(id, { hint, wrong: errorText })} />
      ) : (
        <input {...input} {...describedBy(id, { hint, wrong: errorText })} />
      )}
    </Labels>
  )
}

/** A password input that can be shown, to check what was typed. */
function PasswordInput(props: InputHTMLAttributes<HTMLInputElement>) {
  const [isShown, setShown] = useState(false)
  const words = isShown ? t.auth.hidePassword : t.auth.showPassword
  return (
    <span className="password-field">
      <input {...props} type={isShown ? 'text' : 'password'} />
      <button
        type="button"
        className="button icon plain"
        title={words}
        aria-pressed={isShown}
        disabled={props.disabled}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        <span className="visually-hidden">{words}</span>
      </button>
    </span>
  )
}

/** A file input in the language of the panel: browsers label theirs in their own language. */
function FileInput(props: InputHTMLAttributes<HTMLInputElement>) {
  const { onChange, onClick, ...input } = props
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  return (
    <span className="file-field">
      <input
        {...input}
        ref={field}
        className="visually-hidden"
        onClick={(event) => {
          onClick?.(event)
          if (event.currentTarget.value === '') setName('')
        }}
        onChange={(event) => {
          setName(event.target.files?.[0]?.name ?? '')
          onChange?.(event)
        }}
      />
      {/* The input itself is in the order of the keyboard. */}
      <button
        type="button"
        className="button"
        tabIndex={-1}
        aria-hidden
        onClick={() => field.current?.click()}
      >
        <Upload size={16} aria-hidden /> {t.common.chooseFile}
      </button>
      <span className="quiet truncate">{name || t.common.noFile}</span>
    </span>
  )
}

/** A labeled multi-line input with a hint or an error message. */
export function Area(props: TextareaHTMLAttributes<HTMLTextAreaElement> & Labelled) {
  const { label, hint, wrong: found, quiet, ...area } = props
  const id = useId()
  const wrong = useWrong({ name: area.name, wrong: found })
  return (
    <Labels id={id} label={label} hint={hint} wrong={wrong} quiet={quiet}>
      <textarea rows={3} {...area} {...describedBy(id, { hint, wrong })} />
    </Labels>
  )
}

/** A labeled select; each option is a value and its text. */
export function Choice(
  props: SelectHTMLAttributes<HTMLSelectElement> &
    Labelled & { options: readonly (readonly [value: string, words: string])[] },
) {
  const { label, hint, wrong: found, quiet, options, ...select } = props
  const id = useId()
  const wrong = useWrong({ name: select.name, wrong: found })
  return (
    <Labels id={id} label={label} hint={hint} wrong={wrong} quiet={quiet}>
      <select {...select} {...describedBy(id, { hint, wrong })}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </Labels>
  )
}

/** A labeled checkbox. */
export function Check(props: InputHTMLAttributes<HTMLInputElement> & { label: string }) {
  const { label, ...input } = props
  return (
    <label className="checkable">
      <input type="checkbox" {...input} /> {label}
    </label>
  )
}

/** The tone of a status, which sets its color and shape. */
export type Tone = 'ok' | 'warn' | 'bad' | 'neutral'
/** A status as a bead and a word: never by color alone. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`status ${tone}`}>{children}</span>
}

/** Empty state: a sentence, actions, and the same action as a curl command. */
export function Empty(props: { text: string; curl?: string; children?: ReactNode }) {
  const { text, curl, children } = props
  return (
    <div className="empty">
      <p>{text}</p>
      {children}
      {curl && <pre tabIndex={0}>{curl}</pre>}
    </div>
  )
}

/** Loading placeholder; `height` is in pixels. */
export function Skeleton({ height }: { height?: number | undefined }) {
  return (
    <div className="skeleton" role="status" style={height ? { height } : {}}>
      <span className="visually-hidden">{t.common.loading}</span>
    </div>
  )
}

/** The cancel button of a form or dialog. */
export function CancelButton({
  onClick,
  label = t.common.cancel,
}: {
  onClick: () => void
  label?: string
}) {
  return (
    <button type="button" className="button" onClick={onClick}>
      {label}
    </button>
  )
}
