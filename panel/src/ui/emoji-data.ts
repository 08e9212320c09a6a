import type { EmojiDataResolver } from 'frimousse'
import { language, t } from '../phrases/phrases.ts'

/** Newer emoji render as an empty box on systems from 2023. */
const MAX_VERSION = 15
/** The group of the parts that make up other emoji, such as skin tones. */
const COMPONENTS = 2

const sources = {
  'pt-BR': () =>
    Promise.all([import('emojibase-data/pt/data.json'), import('emojibase-data/pt/messages.json')]),
  en: () =>
    Promise.all([import('emojibase-data/en/data.json'), import('emojibase-data/en/messages.json')]),
  es: () =>
    Promise.all([import('emojibase-data/es/data.json'), import('emojibase-data/es/messages.json')]),
}

type SkinTone = 'light' | 'medium-light' | 'medium' | 'medium-dark' | 'dark'
const TONES: readonly SkinTone[] = ['light', 'medium-light', 'medium', 'medium-dark', 'dark']

/** Loads all emoji that common systems can draw, with names and search words in the language of the panel. */
export const loadEmoji: EmojiDataResolver = async (locale) => {
  const [{ default: list }, { default: messages }] = await sources[language]()
  const toneNames = new Map(messages.skinTones.map(({ key, message }) => [key, message]))
  return {
    locale,
    emojis: list.flatMap(({ emoji, group, label, version, tags = [], skins = [] }) => {
      if (group === undefined || group === COMPONENTS || version > MAX_VERSION) return []
      const toned = TONES.map((tone, index) => {
        const own = skins.find((skin) => skin.tone === index + 1)
        return [tone, own?.emoji ?? emoji] as const
      })
      return [
        {
          emoji,
          category: group,
          label,
          version,
          tags,
          ...(skins.length > 0
            ? { skins: Object.fromEntries(toned) as Record<SkinTone, string> }
            : {}),
        },
      ]
    }),
    categories: messages.groups
      .filter(({ order }) => order !== COMPONENTS)
      .map(({ order, key, message }) => ({
        index: order,
        // The Portuguese data translates “flags” wrongly, as switches.
        label: key === 'flags' ? t.voice.flags : message,
      })),
    skinTones: Object.fromEntries(
      TONES.map((tone) => [tone, toneNames.get(tone) ?? tone]),
    ) as Record<SkinTone, string>,
  }
}
