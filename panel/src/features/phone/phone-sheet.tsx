import { useState } from 'react'
import { t } from '../../phrases/phrases.ts'
import { Choice, Empty } from '../../ui/controls.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { Load } from '../../ui/load.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { PhoneChats } from './phone-chats.tsx'
import { usePhonesWithDefault } from './use-phones-with-default.ts'

/** A simulator phone beside any page of the test mode, to see both sides of a conversation at once. */
export function PhoneSheet({ onClose }: { onClose: () => void }) {
  const { query, error } = usePhonesWithDefault()
  const [id, setId] = useState<string>()
  const [chat, setChat] = useState<string>()
  return (
    <Drawer title={t.phone.title} onClose={onClose}>
      {error !== null && <ErrorBlock error={error} />}
      <Load query={query}>
        {(phones) => {
          // A paired phone writes through its instance.
          const free = phones.filter(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
          const shown = free.find((one) => one.id === id) ?? free[0]
          if (!shown) return <Empty text={t.phone.empty} />
          return (
            <>
              {free.length > 1 && (
                <Choice
                  label={t.phone.own}
                  value={shown.id}
                  onChange={(event) => setId(event.target.value)}
                  options={free.map(
                    ({ id: one, name, phone }) => [one, `${name} · ${formatPhone(phone)}`] as const,
                  )}
                />
              )}
              <PhoneChats key={shown.id} phone={shown} chosen={chat} onChoose={setChat} />
            </>
          )
        }}
      </Load>
    </Drawer>
  )
}
