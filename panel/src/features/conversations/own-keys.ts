/** What handles its keys itself while it has the focus. */
export const OWN_KEYS =
  'input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu], [role=listbox]'

/** Whether a dialog is open over the page, whatever has the focus. */
export const isBehindDialog = (): boolean =>
  document.querySelector('dialog[open], [role=dialog][data-open]') !== null
