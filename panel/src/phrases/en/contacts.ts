import { plural } from '../plural.ts'
/** Contacts, opt-outs and pairing links. */
export const contacts = {
  contacts: {
    identityChanged: 'Security code changed:',
    identityAdvice: "Before you discuss money or passwords, check that it's still the same person.",
    text: 'The people who have talked to this number, or whom you imported.',
    empty: 'No contacts yet. They appear when someone writes, and you can import a list.',
    noneFound: 'No contacts found.',
    download: 'Download CSV',
    since: 'Since',
    phoneColumn: 'phone',
    nameColumn: 'name',
    search: 'Search name, number or field',
    people: 'People',
    optOuts: 'Receive no campaigns',
    save: 'Save',
    profile: (name: string) => `In their profile: ${name}`,
    newField: 'New field',
    fieldName: 'Field',
    fieldValue: 'Value',
    receives: 'Receives campaigns',
    samePerson: 'Is this the same person as another contact?',
    other: 'Other contact',
    merge: 'Merge contacts',
    mergeText: (one: string, other: string) =>
      `${one} and ${other} become one contact with one conversation. This cannot be undone.`,
    talk: 'Open conversation',
    importCsv: 'Import CSV',
    importText:
      'The first line names the columns: phone, name, and any fields you want, such as city or tax ID. Existing contacts are updated.',
    file: 'CSV file',
    read: (count: number) =>
      plural('en', count, {
        one: 'contact read. Check it before importing:',
        other: 'contacts read. Check the first ones before importing:',
      }),
    firstLines: 'First contacts of the file',
    fields: 'Fields',
    importAll: (count: number) =>
      `Import ${plural('en', count, { one: 'contact', other: 'contacts' })}`,
    imported: (count: number) =>
      plural('en', count, { one: 'contact imported.', other: 'contacts imported.' }),
    progress: (done: number, all: number) => `${done} of ${all} contacts…`,
    refused: (count: number) =>
      plural('en', count, { one: 'line was left out:', other: 'lines were left out:' }),
    repeated: (count: number) =>
      count === 1
        ? 'One line repeats the number of another; the last one counts.'
        : `${count} lines repeat the number of another; the last one counts.`,
    noNumber: 'no number',
    lineWithout: (line: number, message: string) => `Line ${line}: ${message}`,
    spreadsheet: 'The file is a spreadsheet or a document: save it as CSV and choose it again.',
    noLines: 'The file has no contacts: a column with phone numbers is missing.',
    addOptOuts: 'Add to the list',
    optOutPhones: 'Phone numbers',
    optOutHint: 'One per line, with the country code.',
    noOptOuts:
      'No one has opted out. People who reply SAIR to a campaign are added here automatically.',
    how: 'How',
    includeAgain: 'Include again',
    includeAgainText: (phone: string) =>
      `${phone} will receive campaigns again. Do this only if they asked for it.`,
    byReply: 'replied to a campaign',
    byTeam: 'by the team',
  },
  pairLink: {
    title: (company: string) => `Connect the WhatsApp of ${company}`,
    anyTitle: 'Connect WhatsApp',
    done: (name: string) => `${name} is connected.`,
    doneText: 'You can close this page now. The phone does not have to stay open.',
    samePhone: 'I am on the phone that will be connected',
    typeCode: 'In WhatsApp, open Linked devices, tap Link with phone number and type this code.',
    offer: 'Send a link to the person who has the phone',
    offerText:
      'They open the link, scan the code and connect the number without an account. The link works for 24 hours and one pairing.',
    until: (when: string) => `Works until ${when}.`,
    create: 'Create link',
    another: 'Create another link',
    end: 'End link',
  },
}
