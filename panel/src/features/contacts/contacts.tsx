import { useState } from 'react'
import { callApi, curlCommand, type Mode } from '../../data/api.ts'
import type { Contact, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { InstanceScope } from '../../shell/instance-scope.tsx'
import { canDevelop, PhoneLink, usePanel } from '../../shell/page.tsx'
import { SavedViews } from '../../shell/saved-views.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Empty } from '../../ui/controls.tsx'
import { Drawer, Facts } from '../../ui/drawer.tsx'
import { downloadCsv } from '../../ui/download-csv.ts'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { formatPhone, searchTextOf } from '../../ui/phone-number.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { addressOf, ContactCard, labelOf } from './contact-card.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { OptOuts } from './opt-outs.tsx'
import { useTalk } from './use-talk.tsx'

const PAGE = 200

type ContactFilter = 'instancia' | 'q' | 'ver' | 'contato'

/** The people an instance has talked to or imported, and those who receive no campaigns. */
export function Contacts() {
  const { values, set } = useFilters<ContactFilter>()
  return (
    <InstanceScope
      title={t.shell.contacts}
      text={t.contacts.text}
      chosen={values.instancia}
      onChoose={(instancia) => set({ instancia, contato: undefined })}
    >
      {(instance) => (
        <Tabs
          label={t.shell.contacts}
          tabs={[
            ['pessoas', t.contacts.people],
            ['fora', t.contacts.optOuts],
          ]}
          open={values.ver === 'fora' ? 'fora' : 'pessoas'}
          onOpen={(ver) => set({ ver: ver === 'fora' ? ver : undefined, contato: undefined })}
        >
          {values.ver === 'fora' ? <OptOuts /> : <List key={instance.id} instance={instance} />}
        </Tabs>
      )}
    </InstanceScope>
  )
}

function List({ instance }: { instance: Instance }) {
  const { mode, me } = usePanel()
  const { values, set } = useFilters<ContactFilter>()
  const [importing, setImporting] = useState(false)
  const { talk, starting } = useTalk(instance)
  const { id } = instance
  const q = values.q === undefined ? undefined : searchTextOf(values.q)
  const query = usePages([mode, 'contacts', id, q], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/contacts', {
      params: [id],
      query: { ...page, ...(q ? { q } : {}) },
    }),
  )
  const open = values.contato
  return (
    <>
      <div className="filters">
        <SearchField
          label={t.contacts.search}
          value={values.q}
          onSearch={(text) => set({ q: text }, { replace: true })}
        />
        <SavedViews page={`contatos.${mode}`} names={['instancia', 'q']} />
        <button type="button" className="button" onClick={() => setImporting(true)}>
          {t.contacts.importCsv}
        </button>
        <ActionButton label={t.contacts.download} act={() => download(mode, instance)} />
      </div>
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              text={q ? t.contacts.noneFound : t.contacts.empty}
              {...(q || !canDevelop(me)
                ? {}
                : { curl: curlCommand(mode, 'GET', `/v1/instances/${id}/contacts`) })}
            >
              {mode === 'test' && !q && <PhoneLink />}
            </Empty>
          ) : (
            <>
              <Table
                caption={t.shell.contacts}
                rows={items}
                keyOf={addressOf}
                isOpen={(contact) => addressOf(contact) === open}
                onOpen={(contact) => set({ contato: addressOf(contact) }, { replace: false })}
                columns={[
                  {
                    head: t.common.name,
                    sortBy: labelOf,
                    cell: (contact) => (
                      <span className="person">
                        <Avatar small id={addressOf(contact)} name={labelOf(contact)} />
                        <button
                          type="button"
                          className="row-button truncate"
                          onClick={() => set({ contato: addressOf(contact) }, { replace: false })}
                        >
                          {labelOf(contact)}
                        </button>
                      </span>
                    ),
                  },
                  {
                    head: t.instances.number,
                    width: 220,
                    sortBy: ({ phone }) => phone,
                    cell: ({ phone }) => (phone ? formatPhone(phone) : t.common.none),
                  },
                  {
                    head: t.contacts.since,
                    width: 140,
                    sortBy: ({ createdAt }) => createdAt,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                  },
                ]}
              />
              <MoreButton query={query} found={items.length} />
              {open && (
                <Drawer
                  title={labelOf(
                    items.find((one) => addressOf(one) === open) ?? {
                      name: null,
                      phone: open,
                      lid: null,
                    },
                  )}
                  onClose={() => set({ contato: undefined })}
                  actions={
                    <ActionButton
                      key={open}
                      kind="primary"
                      label={t.contacts.talk}
                      act={() => talk(open)}
                    />
                  }
                >
                  {/^\d/.test(open) && <Facts facts={[[t.instances.number, formatPhone(open)]]} />}
                  <ContactCard key={open} instance={instance} address={open} />
                </Drawer>
              )}
            </>
          )
        }
      </Load>
      {starting}
      {importing && <ImportDialog instance={instance} onClose={() => setImporting(false)} />}
    </>
  )
}

/** Downloads all contacts of an instance as a CSV file that a campaign accepts as its list. */
async function download(mode: Mode, { id, name }: Instance): Promise<void> {
  const contacts: Contact[] = []
  for (;;) {
    const page = await callApi(mode, 'GET /v1/instances/{id}/contacts', {
      params: [id],
      query: { limit: PAGE, offset: contacts.length },
    })
    contacts.push(...page.items)
    if (!page.hasMore) break
  }
  const fields = [...new Set(contacts.flatMap((contact) => Object.keys(contact.fields)))]
  downloadCsv(`${name}.csv`, [
    [t.contacts.phoneColumn, t.contacts.nameColumn, ...fields],
    ...contacts.map((contact) => [
      contact.phone ? `+${contact.phone.replace(/^\+/, '')}` : (contact.lid ?? ''),
      contact.name ?? '',
      ...fields.map((field) => contact.fields[field] ?? ''),
    ]),
  ])
}
