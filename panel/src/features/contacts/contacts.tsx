import { Link, useNavigate } from '@tanstack/react-router'
import { callApi, curlCommand, type Mode } from '../../data/api.ts'
import type { Contact, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { InstanceScope } from '../../shell/instance-scope.tsx'
import { canDevelop, PhoneLink, usePanel } from '../../shell/page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Empty } from '../../ui/controls.tsx'
import { downloadCsv } from '../../ui/download-csv.ts'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { formatPhone, searchTextOf } from '../../ui/phone-number.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'

const PAGE = 200

/** The people an instance has talked to. */
export function Contacts() {
  const { values, set } = useFilters<'instancia' | 'q'>()
  return (
    <InstanceScope
      title={t.shell.contacts}
      text={t.contacts.text}
      chosen={values.instancia}
      onChoose={(instancia) => set({ instancia })}
    >
      {(instance) => <List key={instance.id} instance={instance} />}
    </InstanceScope>
  )
}

/** The name of a contact, or the number while they have none. */
const nameOf = ({ name, phone, lid }: Contact): string =>
  name ?? (phone ? formatPhone(phone) : (lid ?? ''))

function List({ instance }: { instance: Instance }) {
  const { mode, modo, me } = usePanel()
  const { values, set } = useFilters<'instancia' | 'q'>()
  const navigate = useNavigate()
  const { id } = instance
  const q = values.q === undefined ? undefined : searchTextOf(values.q)
  const query = usePages([mode, 'contacts', id, q], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/contacts', {
      params: [id],
      query: { ...page, ...(q ? { q } : {}) },
    }),
  )
  const inboxOf = ({ phone }: Contact) => ({ instancia: id, ...(phone ? { q: phone } : {}) })
  return (
    <>
      <div className="filters">
        <SearchField
          label={t.conversations.search}
          value={values.q}
          onSearch={(text) => set({ q: text }, { replace: true })}
        />
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
                keyOf={({ phone, lid }) => phone ?? lid ?? ''}
                onOpen={(contact) =>
                  void navigate({
                    to: '/$modo/conversas',
                    params: { modo },
                    search: inboxOf(contact),
                  })
                }
                columns={[
                  {
                    head: t.common.name,
                    sortBy: nameOf,
                    cell: (contact) => (
                      <Link
                        className="person"
                        to="/$modo/conversas"
                        params={{ modo }}
                        search={inboxOf(contact)}
                      >
                        <Avatar
                          small
                          id={contact.phone ?? contact.lid ?? ''}
                          name={nameOf(contact)}
                        />
                        <span className="truncate">{nameOf(contact)}</span>
                      </Link>
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
            </>
          )
        }
      </Load>
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
  downloadCsv(`${name}.csv`, [
    [t.contacts.phoneColumn, t.contacts.nameColumn],
    ...contacts.map((contact) => [
      contact.phone ? `+${contact.phone.replace(/^\+/, '')}` : (contact.lid ?? ''),
      contact.name ?? '',
    ]),
  ])
}
