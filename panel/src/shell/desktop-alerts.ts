import type { Conversation, UnreadMention } from '../data/api-types.ts'
import type { Envelope } from '../data/live.ts'
import { t } from '../phrases/phrases.ts'

/** How this browser signals a new message. Stored per browser, because it concerns this device only. */
export type DesktopChoice = 'notify' | 'sound'
const keyOf = (choice: DesktopChoice) => `recado.avisos.${choice}`

/** Whether this browser notifies or sounds. */
export const isOn = (choice: DesktopChoice): boolean =>
  localStorage.getItem(keyOf(choice)) === 'on' &&
  (choice === 'sound' || ('Notification' in window && Notification.permission === 'granted'))

/** Turns a choice on or off; returns whether it is on. The browser may refuse notifications. */
export async function turn(choice: DesktopChoice, on: boolean): Promise<boolean> {
  if (on && choice === 'notify') {
    if (!('Notification' in window)) return false
    if ((await Notification.requestPermission()) !== 'granted') return false
  }
  localStorage.setItem(keyOf(choice), on ? 'on' : 'off')
  if (on && choice === 'sound') chime()
  return on
}

/** Two short tones. */
function chime(): void {
  const audio = new AudioContext()
  for (const [at, pitch] of [
    [0, 660],
    [0.12, 880],
  ] as const) {
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    const start = audio.currentTime + at
    tone.frequency.value = pitch
    volume.gain.setValueAtTime(0.0001, start)
    volume.gain.exponentialRampToValueAtTime(0.15, start + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.18)
    tone.connect(volume).connect(audio.destination)
    tone.start(start)
    tone.stop(start + 0.2)
  }
  window.setTimeout(() => void audio.close(), 1000)
}

/** Shows a notification; null where pages may not, as in Chrome for Android. */
function show(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options)
  } catch {
    return null
  }
}

/** A received message, as far as a notification shows it. */
type Received = {
  conversationId: string
  text: string | null
  type: keyof typeof t.kinds
  from: Conversation['contact']
  chat: Conversation['chat']
}

/**
 * Notifies of a received message while the page is in the background, as configured in this browser. A later message of
 * the same conversation replaces the notification; `open` is called when it is clicked.
 */
export function alertOf(envelope: Envelope, open: (conversationId: string) => void): void {
  if (envelope.event !== 'message.received') return
  const { conversationId, text, type, from, chat } = envelope.data['message'] as Received
  alert({
    title: chat.name ?? from?.name ?? from?.phone ?? t.common.product,
    text: text ?? t.kinds[type],
    tag: conversationId,
    open: () => open(conversationId),
  })
}

/** Notifies of a note that mentions the user, in the same way. */
export function alertOfMention(
  { conversationId, author, text }: UnreadMention,
  open: (conversationId: string) => void,
): void {
  alert({
    title: t.bell.mentionedBy(author.name ?? t.teamInbox.formerMember),
    text,
    tag: `note-${conversationId}`,
    open: () => open(conversationId),
  })
}

function alert(notice: { title: string; text: string; tag: string; open: () => void }): void {
  if (!document.hidden) return
  if (isOn('sound')) chime()
  if (!isOn('notify')) return
  const { title, text, tag, open } = notice
  const notification = show(title, { body: text, tag, icon: '/recado.svg', silent: true })
  if (!notification) return
  notification.addEventListener('click', () => {
    window.focus()
    notification.close()
    open()
  })
}
