import { useQueryClient } from '@tanstack/react-query'
import {
  ChevronDown,
  CircleCheck,
  Clock,
  MailOpen,
  RotateCcw,
  UserRound,
  Users,
} from 'lucide-react'
import type { Conversation } from '../../data/api-types.ts'
import { nameOf, patchConversation } from '../../data/chats.ts'
import { memberName } from '../../data/member-name.ts'
import { capitalize, t } from '../../phrases/phrases.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useAction } from '../../ui/form.tsx'
import { notify, notifyFailure } from '../../ui/notify.ts'
import { ActionMenu } from '../../ui/menu.tsx'
import { useIsGone } from '../../ui/use-is-gone.ts'
import { usePanel } from '../../shell/page.tsx'
import { changeConversation, UNASSIGNED, useColleagues } from './team-inbox.ts'

type Change = Parameters<typeof changeConversation>[2]

/** Who answers the conversation, and whether it is done: a menu and a button in the head of the thread. */
export function ThreadTeam(props: {
  conversation: Conversation
  onDone: () => void
  /** It is about to be marked as unread, or that has failed (false). */
  onUnread: (isUnread: boolean) => void
  onClose: () => void
}) {
  const { conversation, onDone, onUnread, onClose } = props
  const { mode, me } = usePanel()
  const client = useQueryClient()
  const colleagues = useColleagues()
  const { assignee, status } = conversation
  const change = async (body: Change) => {
    const changed = await changeConversation(mode, conversation, body)
    if (body.status === 'done') onDone()
    patchConversation(client, conversation.id, changed)
    // The pages of other views may list it now, or no longer.
    await client.invalidateQueries({ queryKey: [mode, 'chats'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  // An error in the head would push the name and the actions out of it.
  const report = (failure: Error) => notifyFailure(failure.message)
  const { busy, run } = useAction(async (body: Change) => {
    const changed = await change(body).then(() => true, report)
    if (!changed) return
    if (body.status !== 'done') return
    notify(t.teamInbox.finished(nameOf(conversation)), {
      label: t.common.undo,
      act: () => void change({ status }).catch(report),
    })
  })
  const isGone = useIsGone()
  async function leaveUnread(): Promise<void> {
    onUnread(true)
    try {
      const changed = await changeConversation(mode, conversation, { unread: true })
      if (!isGone.current) {
        // The keyboard continues in the list, where it is beside the thread.
        document.querySelector<HTMLElement>('.inbox-rows [aria-current=true]')?.focus()
        onClose()
      }
      patchConversation(client, conversation.id, changed)
      await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
    } catch (failure) {
      onUnread(false)
      report(failure as Error)
    }
  }
  const assign = (id: string, label: string, icon: React.ReactNode) => ({
    label,
    icon,
    checked: (assignee?.id ?? UNASSIGNED) === id,
    act: () => run({ assigneeId: id }),
  })
  const others = colleagues.filter(({ id }) => id !== me.id)
  const who = assignee ? memberName(assignee) : t.teamInbox.unassigned
  const done = status === 'done'
  return (
    <>
      <ActionMenu
        align="end"
        trigger={
          <button
            type="button"
            className="button thread-assignee"
            disabled={busy}
            aria-label={
              assignee
                ? t.teamInbox.assignedTo(who)
                : `${t.teamInbox.assign} (${t.teamInbox.unassigned})`
            }
            title={t.teamInbox.assignedTo(assignee?.email ?? who)}
          >
            {assignee ? (
              <Avatar small id={assignee.id} name={who} />
            ) : (
              <UserRound size={16} aria-hidden />
            )}
            <span className="truncate wide-only">{assignee ? who : t.teamInbox.assign}</span>{' '}
            <ChevronDown size={14} aria-hidden />
          </button>
        }
        groups={[
          {
            title: t.teamInbox.assignee,
            entries: [
              assign(me.id, t.teamInbox.me, <Avatar small id={me.id} name={memberName(me)} />),
              assign(UNASSIGNED, t.teamInbox.unassigned, <Users size={16} aria-hidden />),
            ],
          },
          ...(others.length > 0
            ? [
                {
                  title: t.nav.team,
                  entries: others.map((other) =>
                    assign(
                      other.id,
                      other.name ?? other.email,
                      <Avatar small id={other.id} name={memberName(other)} />,
                    ),
                  ),
                },
              ]
            : []),
          {
            title: t.common.status,
            entries: (['open', 'waiting', 'done'] as const).map((value) => ({
              label: capitalize(t.teamInbox[`status_${value}`]),
              checked: status === value,
              act: () => run({ status: value }),
            })),
          },
          {
            entries: [
              {
                label: t.teamInbox.markUnread,
                icon: <MailOpen size={16} aria-hidden />,
                act: () => void leaveUnread(),
              },
            ],
          },
        ]}
      />
      <button
        type="button"
        className="button"
        disabled={busy}
        title={done ? t.teamInbox.reopen : t.teamInbox.finish}
        aria-label={done ? t.teamInbox.reopen : t.teamInbox.finish}
        onClick={() => run({ status: done ? 'open' : 'done' })}
      >
        {done ? <RotateCcw size={16} aria-hidden /> : <CircleCheck size={16} aria-hidden />}
        <span className="wide-only">{done ? t.teamInbox.reopen : t.teamInbox.finish}</span>
      </button>
    </>
  )
}

/** A mark for conversations that are not open. */
export function StatusMark({ status }: Pick<Conversation, 'status'>) {
  if (status === 'open') return null
  const Icon = status === 'done' ? CircleCheck : Clock
  const label = t.teamInbox[`status_${status}`]
  return (
    <span className="status-mark" data-status={status} title={label}>
      <Icon size={14} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  )
}
