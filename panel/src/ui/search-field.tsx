import { useEffect, useRef, useState } from 'react'
import { Field } from './controls.tsx'

const PAUSE_MS = 250

/** A search that is told when somebody has stopped typing; what he types is his own meanwhile. */
export function SearchField(props: {
  label: string
  value: string | undefined
  onSearch: (text: string) => void
}) {
  const { label, value = '', onSearch } = props
  const [text, setText] = useState(value)
  const told = useRef(value)
  const timer = useRef<number | undefined>(undefined)
  // The address changes by the way back, too. What it says because it was told is old: typing goes on.
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  function type(typed: string): void {
    setText(typed)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      told.current = typed
      onSearch(typed)
    }, PAUSE_MS)
  }
  return (
    <Field
      label={label}
      type="search"
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  )
}
