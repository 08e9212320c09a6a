import { EmojiPicker } from 'frimousse'
import { language, t } from '../phrases/phrases.ts'
import { loadEmoji } from './emoji-data.ts'

const COLUMNS = 8

/** All emoji by group, with search in the language of the panel. Loaded when it is first opened. */
export function EmojiGrid({ onPick }: { onPick: (emoji: string) => void }) {
  return (
    <EmojiPicker.Root
      className="emoji-grid"
      locale={language}
      columns={COLUMNS}
      resolveEmojiData={loadEmoji}
      onEmojiSelect={({ emoji }) => onPick(emoji)}
    >
      <div className="emoji-head">
        <EmojiPicker.Search
          className="emoji-search"
          aria-label={t.voice.findEmoji}
          placeholder={t.voice.findEmoji}
          autoFocus
        />
        <EmojiPicker.SkinToneSelector
          className="button icon plain"
          aria-label={t.voice.skinTone}
          title={t.voice.skinTone}
        />
      </div>
      <EmojiPicker.Viewport className="emoji-viewport">
        <EmojiPicker.Loading className="emoji-none quiet">{t.common.loading}</EmojiPicker.Loading>
        <EmojiPicker.Empty className="emoji-none quiet">{t.voice.noEmoji}</EmojiPicker.Empty>
        <EmojiPicker.List
          components={{
            CategoryHeader: ({ category, ...rest }) => (
              <div className="emoji-category" {...rest}>
                {category.label}
              </div>
            ),
            // ARIA counts rows and columns from 1, the library from 0.
            Row: (rest) => (
              <div
                className="emoji-row"
                {...rest}
                aria-rowindex={(rest['aria-rowindex'] ?? 0) + 1}
              />
            ),
            Emoji: ({ emoji, ...rest }) => (
              <button
                type="button"
                data-active={emoji.isActive}
                {...rest}
                aria-colindex={(rest['aria-colindex'] ?? 0) + 1}
              >
                {emoji.emoji}
              </button>
            ),
          }}
        />
      </EmojiPicker.Viewport>
    </EmojiPicker.Root>
  )
}
