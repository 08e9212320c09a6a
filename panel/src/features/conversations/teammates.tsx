import { useCallback, useEffect, useRef, useState } from 'react'
import { callPanel } from '../../data/api.ts'
import { memberName } from '../../data/member-name.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { useColleagues } from './team-inbox.ts'

/** How often a panel reports that its user is typing. */
const REPEAT_MS = 3000

/** Returns a throttled function that reports to the team that the user is typing here. */
export function useWriting(conversationId: string): () => void {
  const { mode } = usePanel()
  const told = useRef(0)
  return useCallback(() => {
    if (Date.now() - told.current < REPEAT_MS) return
    told.current = Date.now()
    // Only a hint to others: nothing is lost without it.
    callPanel('POST /panel/api/{mode}/typing', { params: [mode], body: { conversationId } }).catch(
      () => {},
    )
  }, [mode, conversationId])
}

/** Who else of the team is writing in this conversation. */
export function Teammates({ conversationId }: { conversationId: string }) {
  const { live } = usePanel()
  const colleagues = useColleagues()
  const [until, setUntil] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(
    () =>
      live?.subscribeTeammate(({ conversationId: id, userId, ms }) => {
        if (id === conversationId)
          setUntil((before) => new Map([...before, [userId, Date.now() + ms]]))
      }),
    [live, conversationId],
  )
  useEffect(() => {
    if (until.size === 0) return
    const timer = window.setTimeout(
      () => setUntil(new Map([...until].filter(([, end]) => end > Date.now()))),
      Math.max(0, Math.min(...until.values()) - Date.now()),
    )
    return () => window.clearTimeout(timer)
  }, [until])
  const names = colleagues.filter(({ id }) => until.has(id)).map(memberName)
  return (
    <div role="status">
      {names.length > 0 && (
        <p className="teammates quiet">{t.teamInbox.writing(names.join(', '))}</p>
      )}
    </div>
  )
}
