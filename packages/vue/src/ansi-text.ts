/** Coloured terminal text. Named colours are left to the stylesheet, exact ones are set as they are. */
import type { AnsiSpan } from '@toolwire/core/view'
import { h, type VNode } from 'vue'

export const ansiText = (spans: readonly AnsiSpan[]): readonly VNode[] =>
  spans.map((span, index) => {
    const style = styleOf(span)
    return h('span', { key: index, 'data-ansi': namesOf(span), ...(style ? { style } : {}) }, span.text)
  })

const FLAGS = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const

/** Words for the stylesheet: `fg-red bold`; undefined for plain text. */
function namesOf(span: AnsiSpan): string | undefined {
  const names: string[] = FLAGS.filter(flag => span[flag])
  if (span.fg && !span.fg.startsWith('#')) names.push(`fg-${span.fg}`)
  if (span.bg && !span.bg.startsWith('#')) names.push(`bg-${span.bg}`)
  return names.length > 0 ? names.join(' ') : undefined
}

function styleOf({ fg, bg }: AnsiSpan): Readonly<Record<string, string>> | undefined {
  const color = fg?.startsWith('#') ? fg : undefined
  const backgroundColor = bg?.startsWith('#') ? bg : undefined
  if (color === undefined && backgroundColor === undefined) return undefined
  return { ...(color ? { color } : {}), ...(backgroundColor ? { backgroundColor } : {}) }
}
