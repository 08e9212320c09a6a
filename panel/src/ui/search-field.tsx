import { useEffect, useRef, useState } from 'react'
import { Field } from './controls.tsx'

const PAUSE_MS = 250

/** Search field that reports its text once typing pauses; text typed since then is not overwritten. */
export function SearchField(props: {
  label: string
  value: string | undefined
  onSearch: (text: string) => void
}) {
  const { label, value = '', onSearch } = props
  const [text, setText] = useState(value)
  const lastReported = useRef(value)
  const timer = useRef<number | undefined>(undefined)
  // The value also changes on back navigation. If it equals the last reported text, it is only our own update coming
  // back: keep what has been typed since.
  useEffect(() => {
    if (value === lastReported.current) return
    lastReported.current = value
    setText(value)
  }, [value])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  function type(typed: string): void {
    setText(typed)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      lastReported.current = typed
      onSearch(typed)
    }, PAUSE_MS)
  }
  return (
    <Field
      label={label}
      quiet
      placeholder={label}
      type="search"
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  )
}
