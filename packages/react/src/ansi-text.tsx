/** Coloured terminal text. Named colours are left to the stylesheet, exact ones are set as they are. */
import type { AnsiSpan } from '@toolwire/core/view'
import type { CSSProperties } from 'react'

export function AnsiText({ spans }: { readonly spans: readonly AnsiSpan[] }) {
  return spans.map((span, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
    <span key={index} data-ansi={namesOf(span)} style={styleOf(span)}>
      {span.text}
    </span>
  ))
}

const FLAGS = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const

/** Words for the stylesheet: `fg-red bold`; undefined for plain text. */
function namesOf(span: AnsiSpan): string | undefined {
  const names: string[] = FLAGS.filter(flag => span[flag])
  if (span.fg && !span.fg.startsWith('#')) names.push(`fg-${span.fg}`)
  if (span.bg && !span.bg.startsWith('#')) names.push(`bg-${span.bg}`)
  return names.length > 0 ? names.join(' ') : undefined
}

function styleOf({ fg, bg }: AnsiSpan): CSSProperties | undefined {
  const color = fg?.startsWith('#') ? fg : undefined
  const backgroundColor = bg?.startsWith('#') ? bg : undefined
  if (color === undefined && backgroundColor === undefined) return undefined
  return { ...(color ? { color } : {}), ...(backgroundColor ? { backgroundColor } : {}) }
}
