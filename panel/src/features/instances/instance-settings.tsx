import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Check, Field } from '../../ui/controls.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { HistoryChoice } from './history-choice.tsx'
import { PaceChoice } from './pace-choice.tsx'

const SWITCHES = [
  'rejectCalls',
  'readMessages',
  'ignoreGroups',
  'downloadMedia',
  'publishing',
] as const

/** The delays between sends, which people set in seconds. */
const DELAYS = ['sendDelayMinMs', 'sendDelayMaxMs'] as const

/** The settings of an instance; only what was changed is sent. */
export function Settings({ instance }: { instance: Instance }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  // The values the form was filled with: only fields that differ are sent, so changes made elsewhere are not undone.
  const [{ id, name, settings }, setShown] = useState(instance)
  async function save(form: FormData) {
    const said = [
      ...SWITCHES.map((key) => [key, form.get(key) === 'on'] as const),
      ...DELAYS.map((key) => [key, Math.round(Number(trimmedText(form, key)) * 1000)] as const),
      ['historySync', trimmedText(form, 'historySync')] as const,
      ['pace', trimmedText(form, 'pace')] as const,
    ]
    const changed = said.filter(([key, value]) => settings[key] !== value)
    const named = trimmedText(form, 'name')
    const body = {
      ...(named === name ? {} : { name: named }),
      settings: Object.fromEntries(changed),
    }
    setShown(await callApi(mode, 'PATCH /v1/instances/{id}', { params: [id], body }))
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
  }
  return (
    <details className="card">
      <summary>{t.instances.settings}</summary>
      <ActionForm isPage act={save}>
        <Field label={t.common.name} name="name" defaultValue={name} required />
        {SWITCHES.map((key) => (
          <Check key={key} name={key} label={t.instances[key]} defaultChecked={settings[key]} />
        ))}
        <HistoryChoice defaultValue={settings.historySync} />
        <PaceChoice defaultValue={settings.pace} />
        <div className="fields">
          {DELAYS.map((key) => (
            <Field
              key={key}
              label={t.instances[key]}
              name={key}
              type="number"
              min={0}
              step="any"
              required
              defaultValue={settings[key] / 1000}
            />
          ))}
        </div>
      </ActionForm>
    </details>
  )
}
