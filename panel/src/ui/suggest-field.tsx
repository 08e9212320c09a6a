import { Autocomplete } from '@base-ui/react/autocomplete'
import type { ReactNode } from 'react'
import { Field } from './controls.tsx'

/** A text that the field suggests. */
export type Suggestion = { text: string; label: ReactNode }

/** A text field that suggests texts while someone types; any other text is accepted, too. */
export function SuggestField(props: {
  label: string
  name: string
  placeholder: string
  value: string
  onChange: (text: string) => void
  suggestions: Suggestion[]
}) {
  const { label, name, placeholder, value, onChange, suggestions } = props
  return (
    <Autocomplete.Root
      items={suggestions}
      mode="none"
      value={value}
      // Escape closes the list and, after it, the dialog: what was typed stays.
      onValueChange={(text, { reason }) => {
        if (reason !== 'escape-key') onChange(text)
      }}
      itemToStringValue={({ text }: Suggestion) => text}
    >
      <Autocomplete.Input
        render={<Field label={label} />}
        name={name}
        placeholder={placeholder}
        autoComplete="off"
        required
      />
      <Autocomplete.Portal container={document.querySelector<HTMLElement>('dialog[open]')}>
        <Autocomplete.Positioner sideOffset={4} positionMethod="fixed" className="menu-place">
          <Autocomplete.Popup className="menu suggestions">
            <Autocomplete.List>
              {(suggestion: Suggestion) => (
                <Autocomplete.Item
                  key={suggestion.text}
                  value={suggestion}
                  className="menu-item suggestion"
                >
                  {suggestion.label}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}
