import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { ImportedContacts, Instance } from '../../data/api-types.ts'
import { decodeCsv } from '../../data/decode-csv.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { CancelButton, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { readContacts, type ImportedContact } from './import-contacts.ts'

/** The most that one request takes. */
const BATCH = 1000
/** The lines left out that are named; the rest are counted. */
const SHOWN = 20
/** The contacts that are shown before they are imported. */
const PREVIEWED = 3

type Outcome = Pick<ImportedContacts, 'imported' | 'problems'>

/** Imports contacts from a CSV file: shows the first of them, imports all, and says which lines were left out. */
export function ImportDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [contacts, setContacts] = useState<ImportedContact[]>([])
  const [unreadable, setUnreadable] = useState<unknown>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const latest = useRef<File | undefined>(undefined)
  async function choose(file: File | undefined) {
    latest.current = file
    setContacts([])
    setUnreadable(null)
    if (!file) return
    const result = await file
      .arrayBuffer()
      .then((bytes) => readContacts(decodeCsv(bytes)))
      .catch((error: unknown) => error)
    // Another file was chosen while this one was read.
    if (latest.current !== file) return
    if (!Array.isArray(result)) setUnreadable(result)
    else if (result.length === 0) setUnreadable(new Error(t.contacts.noLines))
    else setContacts(result as ImportedContact[])
  }
  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => void (isClosed.current = true)
  }, [])
  async function run() {
    const total: Outcome = { imported: 0, problems: [] }
    try {
      for (let done = 0; done < contacts.length && !isClosed.current; done += BATCH) {
        setProgress(t.contacts.progress(done, contacts.length))
        const answer = await callApi(mode, 'POST /v1/instances/{id}/contacts/import', {
          params: [instance.id],
          body: { contacts: contacts.slice(done, done + BATCH) },
        })
        total.imported += answer.imported
        total.problems.push(
          ...answer.problems.map((problem) => ({ ...problem, index: problem.index + done })),
        )
      }
    } catch (error) {
      // What was stored before the failure is said, and importing the file again changes nothing of it.
      if (total.imported === 0) throw error
      setFailure(error)
    } finally {
      setProgress(null)
      await client.invalidateQueries({ queryKey: [mode, 'contacts'] })
    }
    setOutcome(total)
  }
  return (
    <Dialog title={t.contacts.importCsv} onClose={onClose}>
      {outcome ? (
        <Imported outcome={outcome} failure={failure} onClose={onClose} />
      ) : (
        <ActionForm
          label={contacts.length > 0 ? t.contacts.importAll(contacts.length) : t.contacts.importCsv}
          act={run}
          disabled={contacts.length === 0}
          secondary={<CancelButton onClick={onClose} />}
        >
          <p>{t.contacts.importText}</p>
          <Field
            label={t.contacts.file}
            name="file"
            type="file"
            accept=".csv,.txt,text/csv"
            required
            // So that the same file is read again after it was corrected.
            onClick={({ currentTarget }) => {
              currentTarget.value = ''
              void choose(undefined)
            }}
            onChange={({ target: { files } }) => void choose(files?.[0])}
          />
          {unreadable !== null && <ErrorBlock error={unreadable} />}
          {contacts.length > 0 && <FirstContacts contacts={contacts} />}
          {progress !== null && <p role="status">{progress}</p>}
        </ActionForm>
      )}
    </Dialog>
  )
}

/** The first contacts of a file as they were read, so that a wrong column shows before anything is stored. */
function FirstContacts({ contacts }: { contacts: ImportedContact[] }) {
  const first = contacts.slice(0, PREVIEWED)
  return (
    <>
      <p role="status">{t.contacts.read(contacts.length)}</p>
      <Table
        caption={t.contacts.firstLines}
        columns={[
          { head: t.instances.number, width: 150, cell: ({ phone }) => formatPhone(phone) },
          { head: t.common.name, cell: ({ name }) => name ?? '—' },
          {
            head: t.contacts.fields,
            cell: ({ fields = {} }) =>
              Object.entries(fields)
                .map(([field, value]) => `${field}: ${value}`)
                .join(' · ') || '—',
          },
        ]}
        rows={first}
        keyOf={(contact) => first.indexOf(contact)}
      />
    </>
  )
}

/** How many contacts were imported, and which lines were left out. */
function Imported(props: { outcome: Outcome; failure: unknown; onClose: () => void }) {
  const { outcome, failure, onClose } = props
  return (
    <div className="stack-small" role="status">
      <p>{t.contacts.imported(outcome.imported)}</p>
      {failure !== null && <ErrorBlock error={failure} />}
      {outcome.problems.length > 0 && (
        <>
          <p>{t.contacts.refused(outcome.problems.length)}</p>
          <ul>
            {outcome.problems.slice(0, SHOWN).map(({ index, phone, message }) => (
              <li key={index}>{t.contacts.refusedLine(phone, message)}</li>
            ))}
          </ul>
        </>
      )}
      <div className="row">
        <button type="button" className="button primary" onClick={onClose}>
          {t.common.close}
        </button>
      </div>
    </div>
  )
}
