/** Coloured terminal text. Named colours are left to the stylesheet, exact ones are set as they are. */
import { ansiNames, exactColours } from '@toolwire/core/parts'
import type { AnsiSpan } from '@toolwire/core/view'

export function AnsiText({ spans }: { readonly spans: readonly AnsiSpan[] }) {
  return spans.map((span, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
    <span key={index} data-ansi={ansiNames(span)} style={exactColours(span)}>
      {span.text}
    </span>
  ))
}
