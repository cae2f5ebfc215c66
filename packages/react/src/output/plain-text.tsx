/** Text and code as they are: what the parts use until a page brings its own Markdown and colours. */
import { fencedCode } from '@toolwire/core/parts'
import { MarkdownBlocks } from '@toolwire/core/view'
import { useMemo, useState } from 'react'
import type { CodeProps, TextProps } from '../session/session-context.ts'
import { CodeBlock } from './code-block.tsx'

/** Paragraphs, and fenced code as separate blocks; line breaks are kept. Never makes HTML out of the text. */
export function PlainText({ text, streaming }: TextProps) {
  const [splitter] = useState(() => new MarkdownBlocks())
  const blocks = useMemo(() => splitter.update(text), [splitter, text])
  return blocks.map(block =>
    block.kind === 'code' ? (
      <CodeBlock key={block.key} {...fencedCode(block)} open={streaming && block.open} />
    ) : (
      <p key={block.key} data-tw-part="paragraph">
        {block.raw.trimEnd()}
      </p>
    ),
  )
}

export function PlainCode({ code }: CodeProps) {
  return <code>{code}</code>
}
