import type { FormEvent } from 'react'
import { callApi, type Mode } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import type { Api, Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Area, Check, Field } from '../../ui/controls.tsx'
import { trimmedText, rawText } from '../../ui/form.tsx'

/** The message types that can be composed, in the order of the menu. */
export const KINDS = [
  ...(['text', 'image', 'video', 'audio', 'document', 'sticker'] as const),
  ...(['location', 'contact', 'reaction', 'poll'] as const),
]
/** A message type that can be composed. */
export type Kind = (typeof KINDS)[number]
/** The API sub-path of each message type. */
const PATHS: Record<Kind, string> = {
  text: 'text',
  image: 'media',
  video: 'media',
  audio: 'media',
  document: 'media',
  sticker: 'sticker',
  location: 'location',
  contact: 'contact',
  reaction: 'reaction',
  poll: 'poll',
}
/** Returns the API sub-path that sends messages of this type. */
export const sendPathOf = (kind: Kind): string => PATHS[kind]

const ACCEPT: Partial<Record<Kind, string>> = {
  image: 'image/*',
  video: 'video/*',
  audio: 'audio/*',
  sticker: 'image/webp,image/*',
  document: '',
}
/** Whether messages of this type carry a file. */
export const hasFile = (kind: Kind): boolean => kind in ACCEPT
/** The files that messages of this type carry, for `accept`; empty for all. */
export const acceptOf = (kind: Kind): string => ACCEPT[kind] ?? ''
type Body = Record<string, unknown>

/** The form fields of a message type. */
export function KindFields({ kind }: { kind: Kind }) {
  const say = t.compose
  if (hasFile(kind)) {
    return (
      <>
        <Field
          label={say.file}
          name="file"
          type="file"
          {...(ACCEPT[kind] ? { accept: ACCEPT[kind] } : {})}
        />
        <Field label={say.url} name="url" type="url" hint={say.urlHint} />
        {kind !== 'audio' && kind !== 'sticker' && <Field label={say.caption} name="caption" />}
        {kind === 'audio' && <Check label={say.voice} name="voice" />}
        {(kind === 'image' || kind === 'video') && <Check label={say.viewOnce} name="viewOnce" />}
      </>
    )
  }
  switch (kind) {
    case 'location':
      return (
        <div className="fields">
          <Field label={say.latitude} name="latitude" inputMode="decimal" required />
          <Field label={say.longitude} name="longitude" inputMode="decimal" required />
          <Field label={say.place} name="name" />
          <Field label={say.address} name="address" />
        </div>
      )
    case 'contact':
      return (
        <div className="fields">
          <Field label={say.contactName} name="contactName" required />
          <Field label={say.contactPhone} name="contactPhone" inputMode="tel" required />
        </div>
      )
    case 'reaction':
      return (
        <div className="fields">
          <Field label={say.target} name="waMessageId" required />
          <Field label={say.emoji} name="emoji" defaultValue="👍" required />
        </div>
      )
    case 'poll':
      return (
        <>
          <Field label={say.question} name="question" required />
          <Area label={say.options} name="options" hint={say.optionsHint} required />
        </>
      )
    default:
      return <Area label={t.messages.text} name="text" required />
  }
}

/** Parses a number, accepting a decimal comma. */
const numberOf = (form: FormData, name: string) => Number(trimmedText(form, name).replace(',', '.'))

/** Builds the message body from a form, without its file; empty fields are omitted. */
export function buildMessageBody(kind: Kind, form: FormData): Body {
  const given = (name: string, value = trimmedText(form, name)) => (value ? { [name]: value } : {})
  const ticked = (name: string) => (form.get(name) === 'on' ? { [name]: true } : {})
  if (hasFile(kind)) {
    const caption = kind === 'audio' || kind === 'sticker' ? {} : given('caption')
    return {
      ...(kind === 'sticker' ? {} : { type: kind }),
      media: { url: trimmedText(form, 'url') || 'https://…' },
      ...caption,
      ...(kind === 'audio' ? ticked('voice') : {}),
      ...(kind === 'image' || kind === 'video' ? ticked('viewOnce') : {}),
    }
  }
  switch (kind) {
    case 'location': {
      const point = { latitude: numberOf(form, 'latitude'), longitude: numberOf(form, 'longitude') }
      return { ...point, ...given('name'), ...given('address') }
    }
    case 'contact': {
      const phones = [{ phone: trimmedText(form, 'contactPhone') }]
      return { contacts: [{ name: trimmedText(form, 'contactName'), phones }] }
    }
    case 'reaction':
      return { waMessageId: trimmedText(form, 'waMessageId'), emoji: trimmedText(form, 'emoji') }
    case 'poll': {
      const lines = rawText(form, 'options').split('\n')
      const options = lines.map((line) => line.trim()).filter(Boolean)
      return { question: trimmedText(form, 'question'), options }
    }
    default:
      return { text: rawText(form, 'text') }
  }
}

/** Builds the message body like `bodyOf`, uploading its file first if there is one. Throws ApiError. */
export async function buildBodyWithUpload(mode: Mode, kind: Kind, form: FormData): Promise<Body> {
  const body = buildMessageBody(kind, form)
  const file = form.get('file')
  if (!hasFile(kind) || !(file instanceof File) || file.size === 0) return body
  const upload = new FormData()
  upload.set('file', file)
  const id = uploads.get(file) ?? (await callApi(mode, 'POST /v1/media', { body: upload })).id
  uploads.set(file, id)
  return { ...body, media: { mediaId: id } }
}

/** The ids of uploaded files, so that a file whose message was refused is not uploaded again. */
const uploads = new WeakMap<File, string>()

type SendBody = NonNullable<Api['POST /v1/instances/{id}/messages']['body']>
type Composed = { kind: Kind; form: FormData }
type ScheduleBody = NonNullable<Api['POST /v1/instances/{id}/scheduled-messages']['body']>
/** Sends a message from an instance. `to` holds `{ to }` or `{ conversationId }`, and optionally the quoted message. */
export async function sendFrom(mode: Mode, instanceId: string, to: Body, { kind, form }: Composed) {
  const message = await buildBodyWithUpload(mode, kind, form)
  const body = { type: kind, ...to, ...message } as unknown as SendBody
  return callOnce([mode, instanceId, body], (key) =>
    callApi(mode, 'POST /v1/instances/{id}/messages', { params: [instanceId], body, key }),
  )
}

/** Schedules a message for a time. */
export async function scheduleFrom(
  mode: Mode,
  instanceId: string,
  to: Body,
  { kind, form }: Composed,
  sendAt: Date,
) {
  const message = await buildBodyWithUpload(mode, kind, form)
  const body = { sendAt: sendAt.toISOString(), message: { type: kind, ...to, ...message } }
  return callOnce([mode, instanceId, body], (key) =>
    callApi(mode, 'POST /v1/instances/{id}/scheduled-messages', {
      params: [instanceId],
      body: body as unknown as ScheduleBody,
      key,
    }),
  )
}

/** The body that resends a failed message; null if it cannot be resent, e.g. because its file is no longer stored. */
export function resendBody(message: Message): Body | null {
  const { quoted } = message
  const body = resendContent(message)
  return body && { ...body, ...(quoted ? { quotedWaMessageId: quoted.waMessageId } : {}) }
}

function resendContent(message: Message): Body | null {
  const { type, text, media, viewOnce, gif, location, contacts, poll } = message
  if (hasFile(type as Kind)) {
    if (media?.status !== 'available') return null
    return {
      type,
      media: { mediaId: media.id },
      ...(text ? { caption: text } : {}),
      ...(media.voice ? { voice: true } : {}),
      ...(viewOnce ? { viewOnce: true } : {}),
      ...(gif ? { gif: true } : {}),
    }
  }
  if (type === 'text' && text !== null) return { type, text }
  if (type === 'location' && location) {
    const { latitude, longitude, name, address } = location
    return { type, latitude, longitude, ...(name ? { name } : {}), ...(address ? { address } : {}) }
  }
  if (type === 'contact' && contacts) {
    const cards = contacts.map(({ name, phones }) => ({
      name,
      phones: phones.map(({ phone }) => ({ phone })),
    }))
    return { type, contacts: cards }
  }
  if (type === 'poll' && poll?.question) {
    const { question, options, maxSelections } = poll
    const names = options.map(({ name }) => name)
    return { type, question, options: names, ...(maxSelections ? { maxSelections } : {}) }
  }
  return null
}

/** Resends a failed message in its conversation, with the body from `resendBody`. */
export const resendMessage = (
  mode: Mode,
  { id, instanceId, conversationId }: Message,
  body: Body,
) =>
  callOnce([mode, 'resend', id], (key) =>
    callApi(mode, 'POST /v1/instances/{id}/messages', {
      params: [instanceId],
      body: { conversationId, ...body } as unknown as SendBody,
      key,
    }),
  )

/** The current values of the form around an event's target, for a preview; null outside a form. */
export const formDataOf = (event: FormEvent<HTMLElement>): FormData | null => {
  const form = event.target instanceof Element ? event.target.closest('form') : null
  return form ? new FormData(form) : null
}
