import { useQueryClient } from '@tanstack/react-query'
import { callPanel } from '../../data/api.ts'
import type { AlertSettings } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useAlerts } from '../../data/queries.ts'
import { Check, Field } from '../../ui/controls.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'

/** Settings of the user's e-mail alerts. */
export function Notifications() {
  const query = useAlerts()
  return (
    <section className="card" aria-labelledby="notificacoes">
      <h2 id="notificacoes">{t.settings.tab_notificacoes}</h2>
      <p className="quiet">{t.settings.alertsText}</p>
      <Load query={query}>{(settings) => <Alerts settings={settings} />}</Load>
    </section>
  )
}

function Alerts({ settings: { kinds, allowed, creditsBelow } }: { settings: AlertSettings }) {
  const client = useQueryClient()
  return (
    <ActionForm
      act={async (form) => {
        const chosen = allowed.filter((kind) => form.has(kind))
        const below = trimmedText(form, 'below')
        const limit = below === '' ? {} : { creditsBelow: Number(below) }
        await callPanel('PUT /panel/api/alerts', { body: { kinds: chosen, ...limit } })
        await client.invalidateQueries({ queryKey: ['alerts'] })
      }}
    >
      {allowed.map((kind) => (
        <Check
          key={kind}
          name={kind}
          label={t.settings[kind]}
          defaultChecked={kinds.includes(kind)}
        />
      ))}
      {allowed.includes('credits_low') && (
        <Field
          label={t.settings.creditsBelow}
          hint={t.settings.creditsBelowHint}
          name="below"
          type="number"
          min={0}
          defaultValue={creditsBelow}
          required
        />
      )}
    </ActionForm>
  )
}
