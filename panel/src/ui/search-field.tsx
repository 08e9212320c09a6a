import { useEffect, useState } from 'react'
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
  // The address may change by the way back.
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onSearch(text), PAUSE_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a pause in typing is what counts
  }, [text])
  return (
    <Field
      label={label}
      type="search"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
