import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPanel } from '../../data/api.ts'
import { language, t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'

/** Where most customers of a Brazilian company are; the operator can set any other country. */
const COUNTRIES = [
  'BR',
  'PT',
  'AR',
  'UY',
  'PY',
  'BO',
  'CL',
  'PE',
  'CO',
  'MX',
  'US',
  'ES',
  'AO',
  'MZ',
]

/** Selects the country whose national numbers are completed, for the whole Project. */
export function DefaultCountry() {
  const { me } = usePanel()
  const client = useQueryClient()
  const [shown, setShown] = useState(me.defaultCountry)
  const { error, run } = useAction(async (country: string | null) => {
    setShown(country)
    await callPanel('PUT /panel/api/project', {
      body: country === null ? {} : { defaultCountry: country },
    })
    await client.invalidateQueries({ queryKey: ['me'] })
  })
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const known = shown === null || COUNTRIES.includes(shown) ? COUNTRIES : [shown, ...COUNTRIES]
  return (
    <section className="card" aria-label={t.settings.country}>
      <Choice
        label={t.settings.country}
        hint={t.settings.countryText}
        value={shown ?? ''}
        disabled={!hasPermission(me.role, 'manageProject')}
        onChange={({ target }) => run(target.value || null)}
        options={[
          ['', t.settings.countryNone],
          ...known.map((code) => [code, names.of(code) ?? code] as const),
        ]}
      />
      {error !== null && <ErrorBlock error={error} />}
    </section>
  )
}
