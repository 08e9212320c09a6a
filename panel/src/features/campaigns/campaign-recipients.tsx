import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { downloadCsv } from '../../ui/download-csv.ts'
import { ActionForm } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { keepListReport, listReportOf, type ListReport } from './list-report.ts'

const SHOWN = 20

/** Adds recipients from a file, and says which of its lines were left out. */
export function Recipients({ id }: { id: string }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  // Initially that of the list that the campaign was created with.
  const [report, setReport] = useState(() => listReportOf(mode, id))
  async function add(form: FormData) {
    const file = form.get('file')
    if (!(file instanceof File)) return
    // The type that browsers give a CSV file depends on the programs installed.
    const body = new Blob([file], { type: 'text/csv' })
    const added = await callApi(mode, 'POST /v1/campaigns/{id}/recipients', { params: [id], body })
    const next = { ...added, ofFile: true }
    keepListReport(mode, id, next)
    setReport(next)
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
                {report.problems.slice(0, SHOWN).map(({ line, to, message }) => (
                  <li key={`${line} ${to}`}>
                    {report.ofFile
                      ? t.campaigns.line(line, to ?? '', message)
                      : [to && formatPhone(to), message].filter(Boolean).join(': ')}
                  </li>
                ))}
              </ul>
            )}
            {report.problems.length > SHOWN && (
              <div className="row">
                <button type="button" className="button" onClick={() => downloadProblems(report)}>
                  {t.campaigns.downloadProblems(
                    report.problems.length,
                    report.problems.length === report.invalid + report.duplicates,
                  )}
                </button>
              </div>
            )}
          </>
        )}
      </div>
    </section>
  )
}

/** Downloads who was left out, and why. */
function downloadProblems({ problems, ofFile }: ListReport): void {
  const { phoneColumn } = t.contacts
  const { lineColumn, reasonColumn } = t.campaigns
  downloadCsv(`${t.campaigns.problemsName}.csv`, [
    [phoneColumn, ...(ofFile ? [lineColumn] : []), reasonColumn],
    ...problems.map(({ line, to, message }) => [
      to ?? '',
      ...(ofFile ? [String(line)] : []),
      message,
    ]),
  ])
}
