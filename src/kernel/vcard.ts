import { truncate } from './text.ts'

/** A contact on a vCard. `label` is the type of a phone number in upper case, such as `CELL`. */
export type VcardContact = {
  name: string
  phones: { phone: string; label: string | null }[]
  organization: string | null
  emails: string[]
}

const MAX_VALUE_LENGTH = 1000
const MAX_VALUES = 20

/**
 * Parses all vCards in a text (versions 2.1 to 4.0, without quoted-printable). Returns null if the text is not a vCard,
 * or if a card is not closed or has no name. Unknown properties are ignored, because a forwarded card is rebuilt from
 * these fields.
 */
export function parseVcards(text: string): VcardContact[] | null {
  // A line break followed by a space or tab continues the previous line.
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n')
  const people: VcardContact[] = []
  let person: VcardContact | null = null
  for (const line of lines) {
    const match = /^(?:[\w-]+\.)?([A-Za-z-]+)((?:;[^:]*)?):(.*)$/.exec(line.trim())
    if (!match) {
      if (line.trim() !== '') return null
      continue
    }
    const [, rawName = '', parameters = '', rawValue = ''] = match
    const name = rawName.toUpperCase()
    if (name === 'BEGIN') {
      if (person || !/^vcard$/i.test(rawValue)) return null
      person = { name: '', phones: [], organization: null, emails: [] }
    } else if (name === 'END') {
      if (!person || person.name === '') return null
      people.push(person)
      person = null
    } else if (person) {
      readProperty(person, name, parameters, truncate(unescape(rawValue), MAX_VALUE_LENGTH))
    } else return null
  }
  return person ? null : people
}

function readProperty(person: VcardContact, name: string, parameters: string, value: string): void {
  if (value === '' || /;encoding=quoted-printable/i.test(parameters)) return
  if (name === 'FN') person.name = value
  else if (name === 'N' && person.name === '') {
    const [family = '', given = ''] = value.split(';')
    person.name = `${given} ${family}`.trim()
  } else if (name === 'ORG') person.organization = value.split(';').filter(Boolean).join(', ')
  else if (name === 'EMAIL' && person.emails.length < MAX_VALUES) person.emails.push(value)
  else if (name === 'TEL' && person.phones.length < MAX_VALUES) {
    // WhatsApp's `waid` parameter holds the number on the network, whatever the formatted value is.
    const onNetwork = /;waid=(\d+)/i.exec(parameters)?.[1]
    const phone = onNetwork ?? value.replace(/^tel:/i, '').replace(/\D/g, '')
    const label = /;(?:type=)?"?(\w+)/i.exec(parameters)?.[1]?.toUpperCase() ?? null
    if (phone !== '') person.phones.push({ phone, label: label === 'WAID' ? null : label })
  }
}

/** Unescapes commas, semicolons and backslashes; an escaped line break becomes a space. */
function unescape(value: string): string {
  return value
    .replace(/\\([nN,;\\])/g, (_, escaped: string) => (/n/i.test(escaped) ? ' ' : escaped))
    .trim()
}

/** Formats a contact as a vCard 3.0, the way WhatsApp's own clients do. */
export function formatVcard({ name, phones, organization, emails }: VcardContact): string {
  const escape = (text: string) => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n')
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escape(name)};;;`,
    `FN:${escape(name)}`,
    ...(organization === null ? [] : [`ORG:${escape(organization)};`]),
    ...phones.map(({ phone, label }) => `TEL;type=${label ?? 'CELL'};waid=${phone}:+${phone}`),
    ...emails.map((email) => `EMAIL:${escape(email)}`),
    'END:VCARD',
  ].join('\n')
}
