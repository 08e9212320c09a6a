import type { AddressPolicy } from '../../kernel/address-policy.ts'
import { startBudget } from '../../kernel/budget.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import {
  discardBody,
  getFollowingRedirects,
  readStart,
} from '../../platform/egress/follow-redirects.ts'
import { parseTarget } from '../../platform/egress/target-url.ts'
import { truncate } from '../../kernel/text.ts'

/** How long a message waits for the page that it links to. */
const PREVIEW_TIMEOUT_MS = 3000
const MAX_PAGE_BYTES = 128 * 1024
const MAX_TITLE_LENGTH = 200
const MAX_DESCRIPTION_LENGTH = 500
/** How long a page is cached, because a campaign sends the same link to every recipient. */
const CACHE_TTL_MS = 600_000
const MAX_CACHED_PAGES = 500

/** A link preview; `matchedText` is the link as it occurs in the text. */
export type Preview = { matchedText: string; title: string; description: string }

/** Creates a cached reader of link previews, taken from the metadata of the linked pages. */
export function createPreviews(deps: {
  clock: Clock
  policy: AddressPolicy
  client: Pick<OutboundClient, 'download'>
}) {
  const { clock, policy } = deps
  const cache = new Map<string, { until: number; page: Promise<Page | null> }>()

  async function read(link: string): Promise<Page | null> {
    const { url } = parseTarget(link, policy)
    if (!url) return null
    const budget = startBudget(clock, PREVIEW_TIMEOUT_MS)
    const headers = { 'user-agent': 'service-webhooks/1', accept: 'text/html' }
    try {
      const answer = await getFollowingRedirects(deps, url, { headers, budget })
      const html = answer.status === 200 && answer.contentType?.includes('html')
      if (!html) {
        discardBody(answer)
        return null
      }
      const page = await readStart(answer, MAX_PAGE_BYTES)
      // Loaded with the first page, because it takes megabytes of memory.
      const { decodeHTML } = await import('entities')
      return readPage(page, decodeHTML)
    } catch {
      // A failed preview must not prevent the message.
      return null
    } finally {
      budget.end()
    }
  }

  return {
    /** Returns the preview of the first link; null without a link, or if its page has no title or is too slow. */
    async find(text: string): Promise<Preview | null> {
      const [link] = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}*_~]/i.exec(text) ?? []
      if (!link) return null
      const known = cache.get(link)
      if (!known || known.until < clock.monotonic()) {
        if (cache.size >= MAX_CACHED_PAGES) cache.clear()
        cache.set(link, { until: clock.monotonic() + CACHE_TTL_MS, page: read(link) })
      }
      const page = await cache.get(link)?.page
      return page ? { matchedText: link, ...page } : null
    },
  }
}

/** The reader that `createPreviews` returns. */
export type Previews = ReturnType<typeof createPreviews>
type Page = { title: string; description: string }

type Decode = (text: string) => string

function readPage(html: string, decode: Decode): Page | null {
  const metas = new Map<string, string>()
  for (const [tag] of html.matchAll(/<meta\s[^<>]{0,2000}>/gi)) {
    const name = attribute(tag, 'property') ?? attribute(tag, 'name')
    const content = attribute(tag, 'content')
    if (name && content) metas.set(name.toLowerCase(), content)
  }
  const [, named] = /<title[^<>]{0,200}>([^<]{0,1000})<\/title>/i.exec(html) ?? []
  const title = metas.get('og:title') ?? named
  const description = metas.get('og:description') ?? metas.get('description') ?? ''
  if (!title?.trim()) return null
  return {
    title: truncate(toPlainText(title, decode), MAX_TITLE_LENGTH),
    description: truncate(toPlainText(description, decode), MAX_DESCRIPTION_LENGTH),
  }
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag)
  return found?.[1] ?? found?.[2]
}

/** Decodes entities and collapses whitespace. Returns a copy, since a slice would retain the whole page in memory. */
function toPlainText(text: string, decode: Decode): string {
  return Buffer.from(decode(text).replaceAll(/\s+/g, ' ').trim()).toString()
}
