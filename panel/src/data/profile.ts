/** WhatsApp's own limit of the text that someone writes about themselves. */
export const MAX_ABOUT = 139
