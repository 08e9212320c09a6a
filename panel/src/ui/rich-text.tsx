import { Fragment, type ReactNode } from 'react'

/**
 * What messengers format: links, and text between marks that stand at the edge of a word. Underscores within a word, as
 * in file names, and marks around spaces are ordinary characters.
 */
const TOKENS =
  /(?<link>https?:\/\/[^\s<]*[^\s<.,;:!?)'"\]])|```(?<code>[^`]+)```|(?<![\p{L}\p{N}])(?:\*(?<bold>[^\s*](?:[^*\n]*[^\s*])?)\*|_(?<italic>[^\s_](?:[^_\n]*[^\s_])?)_|~(?<struck>[^\s~](?:[^~\n]*[^\s~])?)~)(?![\p{L}\p{N}])/gu

type Groups = Partial<Record<'link' | 'code' | 'bold' | 'italic' | 'struck', string>>

/** The text without the marks that format it, for a preview in one line. */
export const plainText = (text: string): string =>
  text.replaceAll(TOKENS, (...match) => {
    const { link, code, bold, italic, struck } = match.at(-1) as unknown as Groups
    const inner = link ?? code ?? bold ?? italic ?? struck ?? ''
    return link === undefined && code === undefined ? plainText(inner) : inner
  })

function elementOf({ link, code, bold, italic, struck }: Groups): ReactNode {
  if (link !== undefined) {
    return (
      <a href={link} target="_blank" rel="noreferrer noopener">
        {link}
      </a>
    )
  }
  if (code !== undefined) return <code>{code}</code>
  if (bold !== undefined) {
    return (
      <strong>
        <RichText text={bold} />
      </strong>
    )
  }
  if (italic !== undefined) {
    return (
      <em>
        <RichText text={italic} />
      </em>
    )
  }
  return (
    <s>
      <RichText text={struck ?? ''} />
    </s>
  )
}

/** The text of a message as its reader's messenger shows it. Nothing in it is interpreted as HTML. */
export function RichText({ text }: { text: string }) {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(TOKENS)) {
    parts.push(text.slice(end, match.index), elementOf(match.groups as Groups))
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return parts.map((part, index) => <Fragment key={index}>{part}</Fragment>)
}
