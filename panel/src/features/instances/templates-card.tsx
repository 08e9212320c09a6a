import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { MessageTemplate } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Area, CancelButton, Choice, Field, StatusBadge, type Tone } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Table } from '../../ui/table.tsx'
import { useTemplates } from '../messages/template-fields.tsx'
import { variableCount } from '../messages/template-variables.ts'
import { TEMPLATE_CATEGORIES } from '../../../../src/model/vocabulary.ts'

const TONES: Record<string, Tone> = {
  APPROVED: 'ok',
  REJECTED: 'bad',
  PAUSED: 'warn',
  DISABLED: 'bad',
}
const wordsOf = (table: object, key: string) => (table as Record<string, string>)[key] ?? key

/** The templates of an instance on the official API, with the verdict of Meta. */
export function TemplatesCard({ instanceId }: { instanceId: string }) {
  const { mode, me } = usePanel()
  const client = useQueryClient()
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<string | null>(null)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'templates'] })
  const mayChange = canDevelop(me)
  return (
    <section className="card" aria-labelledby="modelos">
      <div className="row spread">
        <h2 id="modelos">{t.official.templates}</h2>
        {mayChange && (
          <button type="button" className="button" onClick={() => setCreating(true)}>
            {t.official.newTemplate}
          </button>
        )}
      </div>
      <p className="quiet">{t.official.templatesText}</p>
      <Load query={useTemplates(instanceId)}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">{t.official.noTemplates}</p>
          ) : (
            <Table
              caption={t.official.templates}
              rows={items}
              keyOf={({ name, language }) => `${name} ${language}`}
              columns={[
                { head: t.common.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
                { head: t.official.body, cell: ({ body }) => body ?? t.common.none },
                { head: t.official.language, width: 110, cell: ({ language }) => language },
                {
                  head: t.official.category,
                  width: 140,
                  cell: ({ category }) => wordsOf(t.templateCategories, category),
                },
                { head: t.common.status, width: 150, cell: (one) => <Verdict template={one} /> },
              ]}
              {...(mayChange
                ? {
                    menuOf: ({ name }: MessageTemplate) => [
                      {
                        entries: [{ label: t.official.deleteTemplate, act: () => setDoomed(name) }],
                      },
                    ],
                  }
                : {})}
            />
          )
        }
      </Load>
      {creating && (
        <NewTemplate
          instanceId={instanceId}
          onClose={() => setCreating(false)}
          onDone={() => void refresh()}
        />
      )}
      {doomed !== null && (
        <Confirm
          danger
          title={t.official.deleteTemplate}
          text={t.official.deleteText(doomed)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/instances/{id}/templates/{name}', {
              params: [instanceId, doomed],
            })
            setDoomed(null)
            await refresh()
          }}
          onClose={() => setDoomed(null)}
        />
      )}
    </section>
  )
}

function Verdict({ template: { status, rejectedReason } }: { template: MessageTemplate }) {
  return (
    <span title={rejectedReason ?? undefined}>
      <StatusBadge tone={TONES[status] ?? 'neutral'}>
        {wordsOf(t.templateVerdicts, status)}
      </StatusBadge>
    </span>
  )
}

function NewTemplate(props: { instanceId: string; onClose: () => void; onDone: () => void }) {
  const { instanceId, onClose, onDone } = props
  const { mode } = usePanel()
  const [body, setBody] = useState('')
  return (
    <Dialog title={t.official.newTemplate} onClose={onClose}>
      <ActionForm
        label={t.official.submit}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const examples = form.getAll('variables').map(String)
          await callApi(mode, 'POST /v1/instances/{id}/templates', {
            params: [instanceId],
            body: {
              name: trimmedText(form, 'name'),
              language: trimmedText(form, 'language'),
              category: trimmedText(form, 'category') as (typeof TEMPLATE_CATEGORIES)[number],
              body: trimmedText(form, 'body'),
              ...(examples.length > 0 ? { variables: examples } : {}),
            },
          })
          onDone()
          onClose()
        }}
      >
        <Field
          label={t.common.name}
          name="name"
          hint={t.official.nameHint}
          pattern="[a-z0-9_]+"
          autoComplete="off"
          required
        />
        <div className="fields">
          <Field label={t.official.language} name="language" defaultValue="pt_BR" required />
          <Choice
            label={t.official.category}
            name="category"
            defaultValue="UTILITY"
            options={TEMPLATE_CATEGORIES.map((one) => [one, t.templateCategories[one]])}
          />
        </div>
        <Area
          label={t.official.body}
          name="body"
          hint={t.official.bodyHint}
          rows={4}
          maxLength={1024}
          value={body}
          onChange={(event) => setBody(event.target.value)}
          required
        />
        {Array.from({ length: variableCount(body) }, (_, index) => (
          <Field key={index} label={t.official.example(index + 1)} name="variables" required />
        ))}
      </ActionForm>
    </Dialog>
  )
}
