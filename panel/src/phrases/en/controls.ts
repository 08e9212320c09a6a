import { plural } from '../plural.ts'
/** Controls that many pages use. */
export const controls = {
  newCampaign: {
    edit: 'Edit the draft',
    noDraft: 'This campaign is no longer a draft.',
    messageStays: 'The message stays as it is: the list was checked against it, or it has a file.',
    noneConnected: 'Connect an instance to create a campaign.',
    createDraft: 'Create draft',
    nameHint: 'Only you see this name.',
    audience: 'Audience',
    message: 'Message',
    pace: 'Pace',
    from: 'Send from',
    lines: (count: number) =>
      plural('en', count, { one: 'person on the list', other: 'people on the list' }),
    speed: 'Speed',
    careful: 'Careful',
    carefulText: '20 to 45 s between messages, 150 a day. For new numbers.',
    normal: 'Normal',
    normalText: '8 to 25 s between messages, 600 a day.',
    own: 'Custom',
    ownText: 'You set the delays and the limit.',
    someDay: 'Choose at least one day of the week.',
    notColumns: (names: string) =>
      `${names}: the list has no column with this name, so nobody would get the message.`,
    previewHint: 'Choose a CSV to see the first messages filled in.',
    download: 'Download results (CSV)',
  },
  health: {
    failing: 'failing',
    working: 'working',
    unused: 'no deliveries',
  },
  views: {
    title: 'Views',
    save: 'Save this view',
    remove: (name: string) => `Delete the view ${name}`,
  },
  table: {
    chosen: (count: number) => `${count} selected`,
    choose: 'Select',
    chooseAll: 'Select all',
  },
  shell: {
    contacts: 'Contacts',
    userMenu: 'Company and user',
    theme: 'Theme',
    language: 'Language',
    sessions: 'Sessions',
    search: 'Search',
  },
  picker: {
    choose: 'Choose date and time',
    clear: 'Clear',
    past: 'Choose a time in the future.',
    needed: 'Choose a day and a time.',
    timeOfDay: 'Time',
    done: 'Done',
  },
}
