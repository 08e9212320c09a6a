import { useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { nameOf, patchConversation } from '../../data/chats.ts'
import { chatPicture } from '../../data/pictures.ts'
import { t } from '../../phrases/phrases.ts'
import { useLabels } from '../../data/queries.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Check } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionButton, useAction } from '../../ui/form.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { addressOf, ContactCard } from '../contacts/contact-card.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { usePanel } from '../../shell/page.tsx'
import { BlockContact } from './block-contact.tsx'
import { MediaGallery, NewestNotes, OtherChats } from './chat-history.tsx'
import { ReferralNote } from './referral.tsx'

/** Details of a conversation, with controls to pin, archive and label it. */
export function ChatDetails(props: {
  instance: Instance
  conversation: Conversation
  onClose: () => void
}) {
  const { instance, conversation, onClose } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  const { id, chat, contact, archived, pinned, labelIds } = conversation
  const params = [instance.id, id]
  const labels = useLabels(instance.id)
  const { error, busy, run } = useAction(async (work: () => Promise<unknown>) => {
    try {
      await work()
      await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
    } finally {
      setChosen({})
    }
  })
  /** What was chosen here and is on its way, shown at once. */
  const [chosen, setChosen] = useState<{ archived?: boolean; pinned?: boolean }>({})
  /** The conversation for which older messages were asked. */
  const [older, setOlder] = useState<string | null>(null)
  const file = (body: { archived?: boolean; pinned?: boolean }) => {
    setChosen(body)
    run(async () => {
      const route = 'PATCH /v1/instances/{id}/conversations/{conversationId}'
      patchConversation(client, id, await callApi(mode, route, { params, body }))
    })
  }
  const label = (labelId: string, on: boolean) =>
    run(async () => {
      await callApi(
        mode,
        on
          ? 'PUT /v1/instances/{id}/labels/{labelId}/conversations/{conversationId}'
          : 'DELETE /v1/instances/{id}/labels/{labelId}/conversations/{conversationId}',
        { params: [instance.id, labelId, id] },
      )
      const others = labelIds.filter((one) => one !== labelId)
      patchConversation(client, id, { labelIds: on ? [...others, labelId] : others })
    })
  return (
    <aside className="inbox-details details" aria-label={t.conversations.about}>
      <div className="spread">
        <strong>{t.conversations.about}</strong>
        <IconButton icon={X} label={t.common.close} onClick={onClose} />
      </div>
      <div className="details-head">
        <Avatar
          id={chat.id}
          name={nameOf(conversation)}
          picture={chatPicture(mode, instance, conversation)}
        />
        <strong>{nameOf(conversation)}</strong>
        {contact?.phone && <CopyButton text={contact.phone} label={formatPhone(contact.phone)} />}
      </div>
      {conversation.referral && <ReferralNote referral={conversation.referral} />}
      <Check
        label={t.conversations.pinned}
        checked={chosen.pinned ?? pinned}
        disabled={busy}
        onChange={(event) => file({ pinned: event.target.checked })}
      />
      <Check
        label={t.conversations.archive}
        checked={chosen.archived ?? archived}
        disabled={busy}
        onChange={(event) => file({ archived: event.target.checked })}
      />
      {(labels.data?.items ?? []).length > 0 && (
        <div className="chips" role="group" aria-label={t.labels.title}>
          {(labels.data?.items ?? []).map(({ id: labelId, name, color }) => (
            <button
              key={labelId}
              type="button"
              className="chip"
              aria-pressed={labelIds.includes(labelId)}
              disabled={busy}
              onClick={() => label(labelId, !labelIds.includes(labelId))}
            >
              <Dot color={color} /> {name}
            </button>
          ))}
        </div>
      )}
      {error !== null && <ErrorBlock error={error} />}
      <NewestNotes instance={instance} conversation={conversation} />
      <MediaGallery key={`media-${id}`} instance={instance} conversation={conversation} />
      {contact && (
        <ContactCard key={addressOf(contact)} instance={instance} address={addressOf(contact)} />
      )}
      {contact?.phone && (
        <BlockContact
          key={id}
          instance={instance}
          phone={contact.phone}
          lid={contact.lid}
          name={nameOf(conversation)}
        />
      )}
      <OtherChats conversation={conversation} />
      {instance.status === 'CONNECTED' && conversation.lastMessage && (
        <div className="stack-small">
          <ActionButton
            label={t.conversations.olderOnPhone}
            act={async () => {
              const route = 'POST /v1/instances/{id}/conversations/{conversationId}/history'
              await callApi(mode, route, { params, body: {} })
              setOlder(id)
            }}
          />
          {older === id && (
            <p className="quiet" role="status">
              {t.conversations.olderAsked}
            </p>
          )}
        </div>
      )}
      <details>
        <summary>{t.conversations.ids}</summary>
        <dl>
          <dt>{t.conversations.chat}</dt>
          <dd>
            <code>{chat.id}</code>
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </dl>
      </details>
      <p className="quiet">{t.conversations.keys}</p>
    </aside>
  )
}
