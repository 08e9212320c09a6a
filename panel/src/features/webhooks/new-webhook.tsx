import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi, callPanel } from '../../data/api.ts'
import type { CreatedWebhook, Webhook } from '../../data/api-types.ts'
import { EVENTS, type EventName } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import { useWebhooks } from '../../data/queries.ts'
import { Area, Check, Field } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionButton, ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useOnward } from '../../ui/use-onward.ts'
import { VERIFIERS } from './verifiers.ts'

const GROUPS: [title: 'aboutMessages' | 'aboutInstances' | 'aboutPeople', events: EventName[]][] = [
  ['aboutMessages', ['message.received', 'message.status', 'message.deleted']],
  ['aboutInstances', ['instance.status', 'call.received']],
  [
    'aboutPeople',
    [
      ...(['contact.updated', 'group.participants', 'group.updated'] as const),
      ...(['label.updated', 'label.association'] as const),
    ],
  ],
]

/** The service rejects private addresses: warn while typing, and suggest what to do instead. */
const PRIVATE =
  /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1|0\.0\.0\.0)/i

/** Creates a webhook, or a replacement for one, since address and events of a webhook cannot be changed. */
export function NewWebhook() {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const goOn = useOnward()
  const { values } = useFilters<'de'>()
  const { data } = useWebhooks()
  const old = data?.items.find(({ id }) => id === values.de)
  const [made, setMade] = useState<CreatedWebhook | null>(null)
  const [kept, setKept] = useState<string | null>(null)
  const { error, run } = useAction(async (id: string) => {
    if (values.de) await callApi(mode, 'DELETE /v1/webhooks/{id}', { params: [values.de] })
    await client.invalidateQueries({ queryKey: [mode, 'webhooks'] })
    await goOn({ to: '/$modo/webhooks/$id', params: { modo, id }, search: {} })
  })
  // The form is prefilled from the webhook it replaces, so wait for that.
  if (values.de && !data && !made) return <Page title={t.webhooks.replace}>{null}</Page>
  return (
    <Page
      title={old ? t.webhooks.replace : t.webhooks.create}
      text={old ? t.webhooks.replaceText : t.webhooks.text}
    >
      {error !== null && kept && <ErrorBlock error={error} retry={() => run(kept)} />}
      {kept === null && <Creation key={old?.id} old={old ?? null} onMade={setMade} />}
      <p>
        <Link to="/$modo/webhooks" params={{ modo }}>
          {t.common.cancel}
        </Link>
      </p>
      {made && (
        <SecretOnce
          title={t.webhooks.onceTitle}
          text={t.webhooks.onceText}
          secret={made.secret}
          confirmLabel={t.webhooks.kept}
          examples={{ '.env': `RECADO_SECRET=${made.secret}`, ...VERIFIERS }}
          onClose={() => {
            setMade(null)
            setKept(made.id)
            run(made.id)
          }}
        />
      )}
    </Page>
  )
}

type Draft = Pick<
  Webhook,
  'name' | 'url' | 'events' | 'include' | 'filter' | 'media' | 'headerNames'
>
const MORE = ['own', 'edits', 'sent', 'backfill'] as const

/** Reads lines such as `Authorization: Bearer …`. */
function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.trim(), value.join(':').trim()]
    }),
  )
}

function Creation(props: { old: Draft | null; onMade: (made: CreatedWebhook) => void }) {
  const { old, onMade } = props
  const { mode } = usePanel()
  const [name, setName] = useState(old?.name ?? '')
  const [url, setUrl] = useState(old?.url ?? '')
  const [all, setAll] = useState(old ? old.events.length === 0 : true)
  async function create(form: FormData) {
    const events = all ? [] : EVENTS.filter((event) => form.get(event) === 'on')
    // The API reads an empty list as all events.
    if (!all && events.length === 0) throw new Error(t.webhooks.someEvent)
    const include = MORE.filter((option) => form.get(option) === 'on')
    const headers = readHeaders(trimmedText(form, 'headers'))
    const unset = Object.keys(headers).find((name) => headers[name] === '')
    if (unset !== undefined)
      throw new Error(old ? t.webhooks.headerValue(unset) : t.webhooks.headerMissing(unset))
    const { instanceIds, chatTypes, directions, types } = old?.filter ?? {}
    const filter = {
      ...(instanceIds ? { instanceIds } : {}),
      ...(chatTypes ? { chatTypes } : {}),
      ...(directions ? { directions } : {}),
      ...(types ? { types } : {}),
    }
    const body = {
      name: trimmedText(form, 'name'),
      url: trimmedText(form, 'url'),
      events,
      ...(include.length > 0 ? { include } : {}),
      ...(form.get('media') === 'on' ? { media: 'link' as const } : {}),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(Object.keys(filter).length > 0 ? { filter } : {}),
    }
    onMade(await callApi(mode, 'POST /v1/webhooks', { body }))
  }
  /** Fills in the address of an inbox, creating one if there is none. */
  async function useInbox() {
    const { items } = await callApi('test', 'GET /v1/simulator/inboxes')
    const body = { name: t.webhooks.suggested }
    const inbox = items[0] ?? (await callApi('test', 'POST /v1/simulator/inboxes', { body }))
    setUrl(inbox.url)
    setName((known) => known || t.webhooks.suggested)
  }
  return (
    <section className="card" aria-label={t.webhooks.create}>
      {mode === 'test' && (
        <div className="row">
          <ActionButton label={t.webhooks.useInbox} act={useInbox} />
          <span className="quiet">{t.webhooks.useInboxText}</span>
        </div>
      )}
      <ActionForm isPage act={create} label={t.common.create}>
        <Field
          label={t.common.name}
          name="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
        />
        <Field
          label={t.webhooks.url}
          name="url"
          inputMode="url"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          hint={PRIVATE.test(url) && !url.includes('/caixa/') ? t.webhooks.isPrivate : undefined}
          required
        />
        <fieldset>
          <legend>{t.webhooks.events}</legend>
          <Check
            label={t.webhooks.allEvents}
            checked={all}
            onChange={(event) => setAll(event.target.checked)}
          />
          <details className="example" open={!all}>
            <summary>{t.webhooks.eachEvent}</summary>
            {GROUPS.map(([title, events]) => (
              <div key={title} className="stack-small">
                <strong>{t.webhooks[title]}</strong>
                {events.map((event) => (
                  <div key={`${event} ${all}`}>
                    <Check
                      name={event}
                      label={`${event}: ${t.eventNames[event]}`}
                      disabled={all}
                      defaultChecked={
                        all || (old?.events.includes(event) ?? event === 'message.received')
                      }
                    />
                    <Sample event={event} />
                  </div>
                ))}
              </div>
            ))}
          </details>
        </fieldset>
        <details
          className="example"
          open={
            (old?.include ?? []).length > 0 ||
            old?.media !== undefined ||
            (old?.headerNames ?? []).length > 0
          }
        >
          <summary>{t.webhooks.more}</summary>
          {MORE.map((option) => (
            <Check
              key={option}
              name={option}
              label={t.webhooks[option]}
              defaultChecked={old?.include?.includes(option) ?? false}
            />
          ))}
          <Check
            name="media"
            label={t.webhooks.mediaLink}
            defaultChecked={old?.media !== undefined}
          />
          <Area
            label={t.webhooks.headers}
            hint={t.webhooks.headersHint}
            name="headers"
            rows={2}
            defaultValue={old?.headerNames?.map((header) => `${header}: `).join('\n')}
          />
        </details>
      </ActionForm>
    </section>
  )
}

/** An example of an event. All examples are loaded when the first one is opened. */
function Sample({ event }: { event: EventName }) {
  const { mode } = usePanel()
  const [open, setOpen] = useState(false)
  const query = useQuery({
    queryKey: [mode, 'event-examples'],
    queryFn: () => callPanel('GET /panel/api/{mode}/event-examples', { params: [mode] }),
    enabled: open,
    staleTime: Infinity,
  })
  return (
    <details className="example" onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        {t.webhooks.sample}
        <span className="visually-hidden"> {event}</span>
      </summary>
      {open && (
        <Load query={query}>
          {({ items }) => <JsonTree value={items.find((one) => one.event === event)} />}
        </Load>
      )}
    </details>
  )
}
