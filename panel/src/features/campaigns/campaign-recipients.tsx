import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { reportKey, type ListReport } from './report-key.ts'

/** Adds recipients from a file, and says which of its lines were left out. */
export function Recipients({ id }: { id: string }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  // Initially the report of the list that the campaign was created with.
  const [report, setReport] = useState(
    () => client.getQueryData<ListReport>(reportKey(mode, id)) ?? null,
  )
  async function add(form: FormData) {
    const file = form.get('file')
    if (!(file instanceof File)) return
    // The type that browsers give a CSV file depends on the programs installed.
    const body = new Blob([file], { type: 'text/csv' })
    const added = await callApi(mode, 'POST /v1/campaigns/{id}/recipients', { params: [id], body })
    setReport({ ...added, ofFile: true })
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
  }
  return (
    <section className="card" aria-labelledby="lista">
      <h2 id="lista">{t.campaigns.list}</h2>
      <p className="quiet">
        {t.campaigns.listText}{' '}
        <a
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(t.campaigns.templateText)}`}
          download={t.campaigns.templateName}
        >
          {t.campaigns.template}
        </a>
      </p>
      <ActionForm act={add} label={t.campaigns.add}>
        <Field label={t.campaigns.file} name="file" type="file" accept=".csv,text/csv" required />
      </ActionForm>
      <div aria-live="polite">
        {report && (
          <>
            <p>{t.campaigns.report(report.added, report.duplicates, report.invalid)}</p>
            {report.problems.length > 0 && (
              <ul>
                {report.problems.slice(0, 20).map(({ line, to, message }) => (
                  <li key={`${line} ${to}`}>
                    {report.ofFile
                      ? t.campaigns.line(line, to ?? '', message)
                      : [to && formatPhone(to), message].filter(Boolean).join(': ')}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
    </section>
  )
}
