import { OWNER } from '../../../../src/kernel/permissions.ts'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { ApiError } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { StepList } from '../../ui/step-list.tsx'
import { Bars, Sparkline } from '../../ui/chart.tsx'
import { Snippets } from '../../ui/code.tsx'
import {
  Area,
  StatusBadge,
  CancelButton,
  Check,
  Choice,
  Empty,
  Field,
  Skeleton,
} from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Load } from '../../ui/load.tsx'
import { NewerButton } from '../../ui/newer-button.tsx'
import { PanelContext, type PanelContextValue } from '../../shell/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { Dialogs } from './component-dialogs.tsx'
import { Part } from './part.tsx'

/** Old enough to be shown as a date, so that screenshots do not change over time. */
const AT = '2026-01-05T12:00:00.000Z'
const nothing = async () => {}
const still = () => {}
const PLACE: PanelContextValue = {
  mode: 'test',
  modo: 'teste',
  live: null,
  liveState: 'open',
  search: still,
  me: {
    id: 'usr_1',
    email: 'ana@empresa.com.br',
    name: null,
    role: OWNER,
    secondFactor: false,
    operator: false,
    appearance: null,
    company: 'Padaria',
    projectId: 'prj_1',
    projectStatus: 'ACTIVE',
    usageMode: 'BOTH',
    defaultCountry: 'BR',
  },
}
const failure = (status: number, code: string, reason?: string) =>
  new ApiError(
    status,
    { code, message: t.faults.malformed, ...(reason ? { reason } : {}) },
    'req_1',
  )

/** Every component in each of its states, for the accessibility and visual regression tests. No page links here. */
export function Components() {
  return (
    <PanelContext value={PLACE}>
      <main className="stack">
        <h1>{t.common.product}</h1>
        <Buttons />
        <Fields />
        <States />
        <Faults />
        <Lists />
        <Texts />
        <Charts />
        <Dialogs />
      </main>
    </PanelContext>
  )
}

function Buttons() {
  return (
    <Part title={t.common.send}>
      {([false, true] as const).map((disabled) => (
        <div key={String(disabled)} className="row">
          <button type="button" className="button" disabled={disabled}>
            {t.common.retry}
          </button>
          <button type="button" className="button primary" disabled={disabled}>
            {t.common.save}
          </button>
          <button type="button" className="button danger" disabled={disabled}>
            {t.keys.revoke}
          </button>
        </div>
      ))}
      <div className="row">
        <CopyButton text="x" />
        <CancelButton onClick={still} />
        <NewerButton newer={12} show={still} />
      </div>
      <CreateButton
        label={t.keys.create}
        allowed={false}
        upgradeText={t.common.subscribe}
        onCreate={still}
      />
    </Part>
  )
}

function Fields() {
  return (
    <Part title={t.common.name}>
      <div className="fields">
        <Field label={t.auth.company} defaultValue="Padaria" />
        <Field label={t.auth.email} hint={t.auth.codeHint} defaultValue="ana@empresa.com.br" />
        <Field label={t.auth.code} wrong={t.faults.malformed} defaultValue="123" />
        <Field label={t.auth.password} type="password" defaultValue="12345678" disabled />
        <Choice label={t.settings.theme} options={[['x', t.settings.claro]]} />
        <SearchField label={t.audit.find} value="loja" onSearch={still} />
      </div>
      <Area label={t.kinds.text} defaultValue={t.phone.greeting} />
      <div className="row">
        <Check label={t.webhooks.success} defaultChecked />
        <Check label={t.webhooks.failed} />
        <Check label={t.webhooks.retrying} disabled />
      </div>
      <ActionForm
        act={nothing}
        label={t.common.send}
        secondary={<CancelButton onClick={still} />}
      />
      <ActionForm danger disabled act={nothing} label={t.keys.revoke} />
    </Part>
  )
}

function States() {
  return (
    <Part title={t.common.status}>
      <div className="row">
        <StatusBadge tone="ok">{t.states.CONNECTED}</StatusBadge>
        <StatusBadge tone="warn">{t.states.QR}</StatusBadge>
        <StatusBadge tone="bad">{t.states.BANNED}</StatusBadge>
        <StatusBadge tone="neutral">{t.states.CREATED}</StatusBadge>
        <span className="badge">12</span>
        <meter
          min={0}
          max={100}
          high={80}
          optimum={0}
          value={40}
          aria-label={t.test.cap(40, 100)}
        />
        <meter
          min={0}
          max={100}
          high={80}
          optimum={0}
          value={90}
          aria-label={t.test.cap(90, 100)}
        />
        <progress max={100} value={40} aria-label={t.test.cap(40, 100)} />
      </div>
      <StepList
        label={t.webhooks.attempt}
        steps={[
          { key: 1, tone: 'bad', title: t.webhooks.nth(1), text: <Time at={AT} /> },
          { key: 2, tone: 'ok', title: t.webhooks.nth(2), text: <Time at={AT} /> },
          { key: 3, tone: 'warn', title: t.webhooks.next },
          { key: 4, tone: 'neutral', title: t.webhooks.nth(4) },
        ]}
      />
      <Skeleton height={48} />
      <Empty text={t.keys.empty} curl="curl https://api.exemplo.com.br/v1/instances">
        <CancelButton onClick={still} />
      </Empty>
    </Part>
  )
}

function Faults() {
  const query = {
    data: undefined,
    dataUpdatedAt: Date.parse(AT),
    isFetching: false,
    refetch: still,
  }
  return (
    <Part title={t.common.failed}>
      <ErrorBlock error={failure(500, 'INTERNAL_ERROR')} retry={still} />
      <ErrorBlock error={failure(403, 'FORBIDDEN')} />
      <ErrorBlock error={failure(429, 'RATE_LIMITED', 'DAILY_CAP_REACHED')} />
      <ErrorBlock error={new ApiError(0, { code: 'OFFLINE', message: t.faults.offline }, null)} />
      <Load query={{ ...query, error: null }} height={32} count={2}>
        {still as () => null}
      </Load>
      <Load query={{ ...query, data: 1, error: failure(503, 'UNAVAILABLE') }}>
        {() => <p>{t.common.none}</p>}
      </Load>
    </Part>
  )
}

function Lists() {
  const [tab, setTab] = useState<'success' | 'failed'>('success')
  return (
    <Part title={t.common.menu}>
      <Tabs
        label={t.webhooks.result}
        tabs={[
          ['success', t.webhooks.success],
          ['failed', t.webhooks.failed],
        ]}
        open={tab}
        onOpen={setTab}
      >
        <Table
          caption={t.webhooks.deliveries}
          rows={[{ event: 'message.received' }, { event: 'instance.status' }]}
          keyOf={({ event }) => event}
          columns={[
            { head: t.webhooks.event, cell: ({ event }) => <code>{event}</code> },
            { head: t.messages.when, cell: () => <Time at={AT} /> },
            {
              head: t.common.status,
              cell: () => <StatusBadge tone="ok">{t.webhooks.success}</StatusBadge>,
            },
          ]}
        />
      </Tabs>
    </Part>
  )
}

function Texts() {
  return (
    <Part title={t.webhooks.event}>
      <Snippets
        texts={{ '.env': 'RECADO_KEY=svc_test_…', curl: 'curl https://api.exemplo.com.br' }}
      />
      <JsonTree
        value={{ event: 'message.received', data: { ids: [1, 2], text: null }, none: [] }}
      />
      <dl className="facts">
        <div>
          <dt>{t.auth.company}</dt>
          <dd>Padaria</dd>
        </div>
      </dl>
      <div className="qr">
        <div
          role="img"
          aria-label={t.settings.factorQr}
          dangerouslySetInnerHTML={{ __html: renderSVG('2@recado', { border: 4 }) }}
        />
      </div>
    </Part>
  )
}

function Charts() {
  const bars = [3, 0, 7, 5].map((value, index) => {
    return { label: `0${index + 1}/01`, values: [value, 2] }
  })
  return (
    <Part title={t.usage.days}>
      <Bars title={t.usage.days} series={[t.usage.sent, t.usage.received]} bars={bars} first="x" />
      <Sparkline good={[1, 4, 2, 5]} bad={[0, 1, 0, 2]} label={t.webhooks.deliveries} />
    </Part>
  )
}
