/** Source code in colours. Plain text until the highlighter has been loaded, and for languages it does not know. */
import type { CodeProps } from '@toolwire/react'
import { type CSSProperties, useEffect, useState } from 'react'
import type { Highlighted } from './highlight.ts'

/** Colours are a comfort; beyond this they cost more than they give. */
const MAX = 40_000

export function Code({ code, lang }: CodeProps) {
  const [lines, setLines] = useState<Highlighted | undefined>(undefined)
  useEffect(() => {
    setLines(undefined)
    if (lang === '' || code.length > MAX) return
    let over = false
    import('./highlight.ts')
      .then(({ highlight }) => highlight(code, lang))
      .then(
        made => {
          if (!over) setLines(made)
        },
        // Without colours the code is still readable.
        () => {},
      )
    return () => {
      over = true
    }
  }, [code, lang])
  if (!lines) return <code>{code}</code>
  return (
    <code data-highlighted="true">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <Line key={index} line={line} last={index === lines.length - 1} />
      ))}
    </code>
  )
}

function Line({ line, last }: { readonly line: Highlighted[number]; readonly last: boolean }) {
  return (
    <>
      {line.map((token, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
          key={index}
          style={{ '--light': token.light, '--dark': token.dark } as CSSProperties}
        >
          {token.text}
        </span>
      ))}
      {!last && '\n'}
    </>
  )
}
