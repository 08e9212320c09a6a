import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, curlCommand } from '../../data/api.ts'
import type { QuickReply } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Area, CancelButton, Empty, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, rawText, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { useQuickReplies } from './team-inbox.ts'

/** The quick replies of the mode, and the forms to create, change and remove them. */
export function QuickReplies() {
  const { mode } = usePanel()
  const client = useQueryClient()
  const query = useQuickReplies()
  const [asked, setAsked] = useState<QuickReply | 'new' | null>(null)
  const [removed, setRemoved] = useState<QuickReply | null>(null)
  const refresh = async () => {
    setAsked(null)
    setRemoved(null)
    await client.invalidateQueries({ queryKey: [mode, 'quick-replies'] })
  }
  return (
    <Page
      title={t.quickReplies.title}
      text={t.quickReplies.text}
      act={
        <button type="button" className="button primary" onClick={() => setAsked('new')}>
          {t.quickReplies.create}
        </button>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              text={t.quickReplies.empty}
              curl={curlCommand(mode, 'POST', '/v1/quick-replies', {
                shortcut: t.quickReplies.sampleShortcut,
                text: t.quickReplies.sampleText,
              })}
            />
          ) : (
            <Table
              caption={t.quickReplies.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t.quickReplies.shortcut,
                  cell: ({ shortcut }) => <code>/{shortcut}</code>,
                },
                { head: t.messages.text, width: 'grow', cell: ({ text }) => text },
              ]}
              onOpen={setAsked}
              menuOf={(reply) => [
                { entries: [{ label: t.labels.edit, act: () => setAsked(reply) }] },
                {
                  entries: [{ label: t.labels.delete, danger: true, act: () => setRemoved(reply) }],
                },
              ]}
            />
          )
        }
      </Load>
      {asked && (
        <Dialog
          title={asked === 'new' ? t.quickReplies.create : t.quickReplies.change}
          onClose={() => setAsked(null)}
        >
          <ActionForm
            secondary={<CancelButton onClick={() => setAsked(null)} />}
            act={async (form) => {
              const body = { shortcut: trimmedText(form, 'shortcut'), text: rawText(form, 'text') }
              await (asked === 'new'
                ? callApi(mode, 'POST /v1/quick-replies', { body })
                : callApi(mode, 'PATCH /v1/quick-replies/{id}', { params: [asked.id], body }))
              await refresh()
            }}
          >
            <Field
              name="shortcut"
              label={t.quickReplies.shortcut}
              hint={t.quickReplies.shortcutHint}
              defaultValue={asked === 'new' ? '' : asked.shortcut}
              autoComplete="off"
              maxLength={32}
              required
            />
            <Area
              name="text"
              label={t.messages.text}
              hint={t.quickReplies.textHint}
              defaultValue={asked === 'new' ? '' : asked.text}
              rows={5}
              maxLength={4096}
              required
            />
          </ActionForm>
        </Dialog>
      )}
      {removed && (
        <Confirm
          danger
          title={t.quickReplies.remove}
          object={`/${removed.shortcut}`}
          text={t.quickReplies.removeText(removed.shortcut)}
          onClose={() => setRemoved(null)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/quick-replies/{id}', { params: [removed.id] })
            await refresh()
          }}
        />
      )}
    </Page>
  )
}
