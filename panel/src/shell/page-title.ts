/** What the title of the window is made of: the unread conversations, which the bell counts, and the page. */
let unread = ''
let page = ''
const show = () => {
  document.title = unread === '' ? page : `(${unread}) ${page}`
}

/** Names the page in the title of the window. */
export function setPageTitle(title: string): void {
  page = title
  show()
}

/** Puts the number of unread conversations before the title of every page; an empty text for none. */
export function setUnread(count: string): void {
  unread = count
  show()
}
