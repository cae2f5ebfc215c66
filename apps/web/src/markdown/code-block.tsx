/** A fenced block of code with its language and a button to copy it. */
import { CopyButton } from '@toolwire/react'
import { Code } from './code.tsx'

export interface CodeBlockProps {
  readonly code: string
  readonly lang: string
  /** More lines may come. */
  readonly open: boolean
}

export function CodeBlock({ code, lang, open }: CodeBlockProps) {
  return (
    <figure className="code-block">
      <figcaption>
        <span>{lang}</span>
        {!open && <CopyButton text={code} />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
      <pre tabIndex={0}>{open ? <code>{code}</code> : <Code code={code} lang={lang} />}</pre>
    </figure>
  )
}
