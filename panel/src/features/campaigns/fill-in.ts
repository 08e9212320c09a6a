const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g

/** The text of a campaign's message with the variables of one person. A missing variable stays visible. */
export const filledIn = (text: string, variables: Record<string, string>): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => variables[name] ?? whole)
