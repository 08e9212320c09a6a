import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { decodeCsv } from '../../data/decode-csv.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { CancelButton, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import {
  countRepeated,
  readContacts,
  type ContactFile,
  type ImportedContact,
} from './import-contacts.ts'

/** The most that one request takes. */
const BATCH = 1000
/** The lines left out that are named; the rest are counted. */
const SHOWN = 20
/** The contacts that are shown before they are imported. */
const PREVIEWED = 3

/** What became of a file: how many contacts were stored, and each line that was left out. */
type Outcome = {
  imported: number
  repeated: number
  problems: { line: number; to: string; message: string }[]
}
const NO_CONTACTS: ContactFile = { contacts: [], lines: [], withoutNumber: [] }

/** Imports contacts from a CSV file: shows the first of them, imports all, and says which lines were left out. */
export function ImportDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [file, setFile] = useState(NO_CONTACTS)
  const { contacts } = file
  const [unreadable, setUnreadable] = useState<unknown>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const latest = useRef<File | undefined>(undefined)
  async function choose(chosen: File | undefined) {
    latest.current = chosen
    setFile(NO_CONTACTS)
    setUnreadable(null)
    if (!chosen) return
    const read = async () => readContacts(decodeCsv(await chosen.arrayBuffer()))
    const result = await read().catch((error: unknown) => ({ error }))
    // Another file was chosen while this one was read.
    if (latest.current !== chosen) return
    if ('error' in result) setUnreadable(result.error)
    else if (result.contacts.length === 0) setUnreadable(new Error(t.contacts.noLines))
    else setFile(result)
  }
  const isClosed = useRef(false)
  useEffect(() => {
    isClosed.current = false
    return () => void (isClosed.current = true)
  }, [])
  async function run() {
    const problems = file.withoutNumber.map((line) => ({
      line,
      to: '',
      message: t.contacts.noNumber,
    }))
    const stored: ImportedContact[] = []
    try {
      for (let done = 0; done < contacts.length && !isClosed.current; done += BATCH) {
        setProgress(t.contacts.progress(done, contacts.length))
        const some = contacts.slice(done, done + BATCH)
        const answer = await callApi(mode, 'POST /v1/instances/{id}/contacts/import', {
          params: [instance.id],
          body: { contacts: some },
        })
        for (const { index, phone, message } of answer.problems)
          problems.push({ line: file.lines[index + done] ?? 0, to: phone, message })
        const refused = new Set(answer.problems.map(({ index }) => index))
        stored.push(...some.filter((_, index) => !refused.has(index)))
      }
    } catch (error) {
      // What was stored before the failure is said, and importing the file again changes nothing of it.
      if (stored.length === 0) throw error
      setFailure(error)
    } finally {
      setProgress(null)
      await client.invalidateQueries({ queryKey: [mode, 'contacts'] })
    }
    problems.sort((one, other) => one.line - other.line)
    const repeated = countRepeated(stored)
    setOutcome({ imported: stored.length - repeated, repeated, problems })
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
      {outcome.repeated > 0 && <p>{t.contacts.repeated(outcome.repeated)}</p>}
      {failure !== null && <ErrorBlock error={failure} />}
      {outcome.problems.length > 0 && (
        <>
          <p>{t.contacts.refused(outcome.problems.length)}</p>
          <ul>
            {outcome.problems.slice(0, SHOWN).map(({ line, to, message }) => (
              <li key={line}>
                {to ? t.campaigns.line(line, to, message) : t.contacts.lineWithout(line, message)}
              </li>
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
