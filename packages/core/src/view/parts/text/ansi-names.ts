/** Styles of terminal text: named colours are left to the stylesheet, exact ones are set as they are. */
import type { AnsiSpan } from '../../ansi.ts'

const FLAGS = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const

/** Words for the stylesheet: `bold fg-red`; undefined for plain text. */
export function ansiNames(span: AnsiSpan): string | undefined {
  const names: string[] = FLAGS.filter(flag => span[flag])
  if (span.fg && !span.fg.startsWith('#')) names.push(`fg-${span.fg}`)
  if (span.bg && !span.bg.startsWith('#')) names.push(`bg-${span.bg}`)
  return names.length > 0 ? names.join(' ') : undefined
}

/** Unnamed colors as style properties; undefined without any. */
export function exactColours({ fg, bg }: AnsiSpan): { color?: string; backgroundColor?: string } | undefined {
  const style: { color?: string; backgroundColor?: string } = {}
  if (fg?.startsWith('#')) style.color = fg
  if (bg?.startsWith('#')) style.backgroundColor = bg
  return style.color || style.backgroundColor ? style : undefined
}
