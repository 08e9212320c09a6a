import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Api, Instance } from '../../data/api-types.ts'
import { useLabels } from '../../data/queries.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Choice, Field } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { trimmedText } from '../../ui/form.tsx'
import { readAudience, type Audience } from './read-audience.ts'

const SOURCES = ['file', 'contacts'] as const
type Source = (typeof SOURCES)[number]
type Shown = { audience: Audience | null; onAudience: (audience: Audience | null) => void }

/** Reads who receives the campaign from the form of `AudienceFields`; null if nothing was chosen. */
export function recipientsOf(
  form: FormData,
): Blob | Api['POST /v1/campaigns/{id}/recipients']['body'] | null {
  if (form.get('source') === 'contacts') {
    const labelId = trimmedText(form, 'label')
    const instanceId = trimmedText(form, 'contactsOf')
    return { audience: { instanceId, ...(labelId === '' ? {} : { labelId }) } }
  }
  const file = form.get('list')
  // The type that browsers give a CSV file depends on the programs installed.
  const isChosen = file instanceof File && file.size > 0
  return isChosen ? new Blob([file], { type: 'text/csv' }) : null
}

/** Who receives a campaign: the people of a CSV file, or the contacts of an instance, all or those with a label. */
export function AudienceFields({
  instances,
  audience,
  onAudience,
}: Shown & { instances: Instance[] }) {
  const [source, setSource] = useState<Source>('file')
  return (
    <>
      <Choice
        label={t.newCampaign.source}
        name="source"
        value={source}
        onChange={({ target: { value } }) => {
          onAudience(null)
          setSource(SOURCES.find((one) => one === value) ?? 'file')
        }}
        options={[
          ['file', t.newCampaign.fromFile],
          ['contacts', t.newCampaign.fromContacts],
        ]}
      />
      {source === 'file' ? (
        <FileFields audience={audience} onAudience={onAudience} />
      ) : (
        <ContactFields instances={instances} audience={audience} onAudience={onAudience} />
      )}
    </>
  )
}

function FileFields({ audience, onAudience }: Shown) {
  const [problem, setProblem] = useState<unknown>(null)
  return (
    <>
      <Field
        label={t.campaigns.file}
        name="list"
        type="file"
        accept=".csv,text/csv"
        hint={t.campaigns.listText}
        onChange={({ target: { files } }) => {
          const [file] = files ?? []
          onAudience(null)
          setProblem(null)
          if (file) readAudience(file).then(onAudience, setProblem)
        }}
      />
      {problem !== null && <ErrorBlock error={problem} />}
      <span className="row">
        <a
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(t.campaigns.templateText)}`}
          download={t.campaigns.templateName}
        >
          {t.campaigns.template}
        </a>
        {audience && <span role="status">{t.newCampaign.lines(audience.lines)}</span>}
      </span>
    </>
  )
}

function ContactFields({ instances, audience, onAudience }: Shown & { instances: Instance[] }) {
  const { mode } = usePanel()
  const [instanceId, setInstanceId] = useState(
    () => (instances.find(({ status }) => status === 'CONNECTED') ?? instances[0])?.id ?? '',
  )
  const [labelId, setLabelId] = useState('')
  const labels = useLabels(instanceId).data?.items ?? []
  const { data, error } = useQuery({
    queryKey: [mode, 'contacts', instanceId, 'audience', labelId],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/audience', {
        params: [instanceId],
        query: labelId === '' ? {} : { labelId },
      }),
  })
  useEffect(() => {
    onAudience(data ? { lines: data.total, columns: data.variables, first: data.first } : null)
  }, [data, onAudience])
  return (
    <>
      <Choice
        label={t.newCampaign.contactsOf}
        name="contactsOf"
        value={instanceId}
        onChange={({ target: { value } }) => {
          setLabelId('')
          setInstanceId(value)
        }}
        options={instances.map(({ id, name }) => [id, name] as const)}
      />
      <Choice
        label={t.newCampaign.label}
        name="label"
        value={labelId}
        onChange={({ target: { value } }) => setLabelId(value)}
        options={[
          ['', t.newCampaign.anyLabel],
          ...labels.map(({ id, name }) => [id, name] as const),
        ]}
      />
      {error && <ErrorBlock error={error} />}
      {audience && (
        <p role="status">
          {audience.lines === 0
            ? t.newCampaign.nobody
            : `${t.newCampaign.lines(audience.lines)}. ${t.newCampaign.ready(audience.columns.map((name) => `{{${name}}}`).join(', '))}`}
        </p>
      )}
    </>
  )
}
