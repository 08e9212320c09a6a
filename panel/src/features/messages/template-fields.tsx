import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { MessageTemplate } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Choice, Field } from '../../ui/controls.tsx'
import { rawText, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { fillVariables, variableCount } from './template-variables.ts'

const MAX_TEMPLATES = 200

/** The templates of an instance on the official API, as Meta has them now. */
export function useTemplates(instanceId: string, enabled = true) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'templates', instanceId],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/templates', {
        params: [instanceId],
        query: { limit: MAX_TEMPLATES },
      }),
    enabled,
  })
}

const keyOf = ({ name, language }: MessageTemplate) => `${name} ${language}`

/** Chooses an approved template and fills in its variables, with the text as people will read it. */
export function TemplateFields({ instanceId }: { instanceId: string }) {
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<string[]>([])
  return (
    <Load query={useTemplates(instanceId)}>
      {({ items }) => {
        const approved = items.filter(({ status }) => status === 'APPROVED')
        const template = approved.find((one) => keyOf(one) === chosen) ?? approved[0]
        if (!template) return <p className="quiet">{t.official.noneApproved}</p>
        const count = variableCount(template.body ?? '')
        return (
          <>
            <Choice
              label={t.official.template}
              name="template"
              value={keyOf(template)}
              onChange={(event) => {
                setChosen(event.target.value)
                setValues([])
              }}
              options={approved.map((one) => [keyOf(one), `${one.name} (${one.language})`])}
            />
            {Array.from({ length: count }, (_, index) => (
              <Field
                key={`${keyOf(template)} ${index}`}
                label={t.official.variable(index + 1)}
                name="variable"
                value={values[index] ?? ''}
                onChange={(event) =>
                  setValues((before) => {
                    const next = Array.from({ length: count }, (__, at) => before[at] ?? '')
                    next[index] = event.target.value
                    return next
                  })
                }
                required
              />
            ))}
            <ul className="bubbles">
              <li data-mine="true">{fillVariables(template.body ?? '', values)}</li>
            </ul>
          </>
        )
      }}
    </Load>
  )
}

/** The template of a form with `TemplateFields`; null if there was none to choose. */
export function templateFrom(form: FormData) {
  const [name = '', language = ''] = trimmedText(form, 'template').split(' ')
  if (name === '') return null
  const variables = form.getAll('variable').map((value) => (typeof value === 'string' ? value : ''))
  return { name, language, variables }
}

/** The text of a form field that a template replaces. */
export const textOrTemplate = (form: FormData) => {
  const template = templateFrom(form)
  return template
    ? { type: 'template' as const, template }
    : { type: 'text' as const, text: rawText(form, 'text') }
}
