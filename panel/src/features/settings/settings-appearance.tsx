import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LANGUAGE_NAMES, t } from '../../phrases/phrases.ts'
import { DENSITIES, saveAppearance, readAppearance, THEMES } from '../../shell/appearance.ts'
import type { Appearance as AppearanceSettings } from '../../data/api-types.ts'
import { Choice } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'

/** The user's appearance settings: applied here at once, and on every device where they sign in. */
export function Appearance() {
  const client = useQueryClient()
  const [shown, setShown] = useState(readAppearance)
  const { error, run } = useAction(async (change: Partial<AppearanceSettings>) => {
    setShown({ ...shown, ...change })
    await saveAppearance(client, change)
  })
  return (
    <section className="card" aria-label={t.settings.tab_aparencia}>
      <Choice
        label={t.settings.theme}
        value={shown.theme}
        onChange={({ target }) =>
          run({ theme: THEMES.find((one) => one === target.value) ?? 'sistema' })
        }
        options={THEMES.map((one) => [one, t.settings[one]] as const)}
      />
      <Choice
        label={t.settings.density}
        value={shown.density}
        onChange={({ target }) =>
          run({ density: DENSITIES.find((one) => one === target.value) ?? 'confortavel' })
        }
        options={DENSITIES.map((one) => [one, t.settings[one]] as const)}
      />
      <Choice
        label={t.settings.language}
        value={shown.language}
        onChange={({ target }) =>
          run({
            language: LANGUAGE_NAMES.find(([one]) => one === target.value)?.[0] ?? 'pt-BR',
          })
        }
        options={LANGUAGE_NAMES}
      />
      {error !== null && <ErrorBlock error={error} />}
    </section>
  )
}
