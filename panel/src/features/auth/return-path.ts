/**
 * Returns the path to open after sign-in: `asked`, the search parameter `volta`, if it is a path of the panel. Anything
 * else, such as another site's address, opens the start page, so that a link cannot lead away from the panel.
 */
export const returnPath = (asked: unknown): string => searchOfReturn(asked).volta ?? '/'

/** The search with which pages before sign-in pass `volta` on; empty if it is not a path of the panel. */
export const searchOfReturn = (asked: unknown): { volta?: string } =>
  typeof asked === 'string' && /^\/\w/.test(asked) ? { volta: asked } : {}
