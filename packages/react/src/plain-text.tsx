/** Text and code as they are: what the parts use until a page brings its own Markdown and colours. */
import type { CodeProps, TextProps } from './session-context.ts'

/** Paragraphs at blank lines; line breaks are kept. Never makes HTML out of the text. */
export function PlainText({ text }: TextProps) {
  return text
    .split(/\n{2,}/)
    .filter(part => part.trim() !== '')
    .map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end, so positions are stable
      <p key={index} data-tw-part="paragraph">
        {part}
      </p>
    ))
}

export function PlainCode({ code }: CodeProps) {
  return <code>{code}</code>
}
