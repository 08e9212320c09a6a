import { useState } from 'react'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

/** A block of code with a copy button. */
export function Code({ text, label }: { text: string; label?: string }) {
  return (
    <div className="code-block">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}

/** Code in several languages, one tab each; `texts` is keyed by tab title. */
export function Snippets({ texts }: { texts: Record<string, string> }) {
  const names = Object.keys(texts)
  const [open, setOpen] = useState(names[0] ?? '')
  return (
    <Tabs
      label={t.common.languageOf}
      tabs={names.map((name) => [name, name] as const)}
      open={open}
      onOpen={setOpen}
    >
      <Code text={texts[open] ?? ''} label={open} />
    </Tabs>
  )
}
