/** The options of a string schema whose value people will read: it has at least one character that is not a space. */
export const NOT_BLANK = { minLength: 1, pattern: '\\S' } as const
