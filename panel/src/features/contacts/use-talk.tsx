import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState, type ReactNode } from 'react'
import { isLid } from '../../../../src/model/recipient.ts'
import { callApi } from '../../data/api.ts'
import type { Contact, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { useAction } from '../../ui/form.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { notifyFailure } from '../../ui/notify.ts'
import { addressOf } from './contact-card.tsx'

const NewConversation = lazyPart(
  async () => (await import('../conversations/new-conversation.tsx')).NewConversation,
)

/**
 * Opens the conversation of an instance with someone, by number or LID: `talk` throws its failure, and `entriesOf` has
 * the entry of a menu, which shows it in a toast. Without a conversation, `starting` is a dialog that begins it; show it
 * on the page.
 */
export function useTalk(instance: Instance): {
  talk: (address: string) => Promise<void>
  entriesOf: (person: Pick<Contact, 'phone' | 'lid'>) => MenuEntry[]
  starting: ReactNode
} {
  const { mode, modo } = usePanel()
  const navigate = useNavigate()
  /** The number or LID of a person without a conversation. */
  const [missing, setMissing] = useState<string | null>(null)
  async function talk(address: string): Promise<void> {
    const { items } = await callApi(mode, 'GET /v1/instances/{id}/conversations', {
      params: [instance.id],
      query: { q: address, type: 'direct' },
    })
    const found = items.find(({ contact }) => contact && addressOf(contact) === address)
    if (!found) return setMissing(address)
    await navigate({ to: '/$modo/conversas', params: { modo }, search: { conversa: found.id } })
  }
  const starting = missing !== null && (
    <Suspense fallback={null}>
      <NewConversation
        instances={[instance]}
        to={isLid(missing) ? missing : `+${missing}`}
        onClose={() => setMissing(null)}
      />
    </Suspense>
  )
  const { run } = useAction((address: string) =>
    talk(address).catch((failure: Error) => notifyFailure(failure.message)),
  )
  function entriesOf(person: Pick<Contact, 'phone' | 'lid'>): MenuEntry[] {
    const address = addressOf(person)
    return address === '' ? [] : [{ label: t.contacts.talk, act: () => run(address) }]
  }
  return { talk, entriesOf, starting }
}
