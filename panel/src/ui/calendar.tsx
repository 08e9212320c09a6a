import { DayPicker } from 'react-day-picker'
import { enUS } from 'react-day-picker/locale/en-US'
import { es } from 'react-day-picker/locale/es'
import { ptBR } from 'react-day-picker/locale/pt-BR'
import { language } from '../phrases/phrases.ts'

const LOCALES = { 'pt-BR': ptBR, en: enUS, es } as const

/** A month to choose a day from, today or later. */
export function Calendar(props: {
  selected: Date | undefined
  timeZone: string
  onSelect: (day: Date | undefined) => void
}) {
  const { selected, timeZone, onSelect } = props
  return (
    <DayPicker
      mode="single"
      locale={LOCALES[language]}
      timeZone={timeZone}
      selected={selected}
      {...(selected ? { defaultMonth: selected } : {})}
      onSelect={onSelect}
      disabled={{ before: new Date() }}
      autoFocus
    />
  )
}
