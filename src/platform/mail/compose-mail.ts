import { escapeUTF8 } from 'entities'
import { mailEn } from '../../kernel/phrases/mail/en.ts'
import { mailEs } from '../../kernel/phrases/mail/es.ts'
import type { Letter, MailPhrases } from '../../kernel/phrases/mail/letter.ts'
import { mailPtBr } from '../../kernel/phrases/mail/pt-br.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'
import type { Mail } from './mail.port.ts'

const BY_LANGUAGE: Record<Language, MailPhrases> = { 'pt-BR': mailPtBr, en: mailEn, es: mailEs }
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;line-height:1.5"

/** Composes a mail in the reader's language, as plain text and as HTML with the same content (G80). */
export function composeMail(
  to: string,
  language: Language,
  write: (mail: MailPhrases) => Letter,
): Mail {
  const phrases = BY_LANGUAGE[language]
  const letter = write(phrases)
  // A company's name may contain line breaks, which would start another header.
  const subject = letter.subject.replaceAll(/\s+/g, ' ').trim()
  return {
    to,
    subject,
    text: renderText(letter, phrases),
    html: renderHtml(letter, phrases, language),
  }
}

function renderText(letter: Letter, { greeting }: MailPhrases): string {
  const { paragraphs, list, button, notes } = letter
  const parts = [
    greeting,
    ...paragraphs,
    ...(list ? [list.map((line) => `- ${line}`).join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...(notes ?? []),
  ]
  return `${parts.join('\n\n')}\n`
}

function renderHtml(letter: Letter, phrases: MailPhrases, language: Language): string {
  const { subject, paragraphs, list, button, notes } = letter
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeUTF8(text)}</p>`
  const small = (html: string) =>
    `<p style="margin:0 0 8px;font-size:13px;color:#5b5e66;overflow-wrap:anywhere">${html}</p>`
  const url = button && escapeUTF8(button.url)
  const body = [
    ...[phrases.greeting, ...paragraphs].map(paragraph),
    ...(list
      ? [
          `<ul style="margin:0 0 16px;padding-left:20px">${list.map((line) => `<li>${escapeUTF8(line)}</li>`).join('')}</ul>`,
        ]
      : []),
    ...(button
      ? [
          `<p style="margin:0 0 24px"><a href="${url}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#22242b;color:#fff;font-weight:600;text-decoration:none">${escapeUTF8(button.label)}</a></p>`,
          small(
            `${escapeUTF8(phrases.orOpen)}<br><a href="${url}" style="color:#3b46b8">${url}</a>`,
          ),
        ]
      : []),
    ...(notes ?? []).map((note) => small(escapeUTF8(note))),
  ]
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeUTF8(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;background:#f7f6f4;color:#22242b;font-size:15px;${FONT}">`,
    `<div style="max-width:520px;margin:0 auto;padding:32px;border:1px solid #e0deda;border-radius:8px;background:#fff">${body.join('')}</div>`,
    `<p style="max-width:520px;margin:16px auto 0;font-size:12px;color:#6b6e76">${escapeUTF8(phrases.signature)}</p>`,
    '</body></html>',
  ].join('\n')
}
