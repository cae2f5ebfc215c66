/**
 * Markdown of models as elements. No HTML is ever made from it: tags are shown as text, so nothing has to be
 * sanitized. Finished blocks are parsed once; only the open end is parsed again.
 */
import { fencedCode } from '@toolwire/core/parts'
import { type MarkdownBlock, MarkdownBlocks } from '@toolwire/core/view'
import { CodeBlock, type TextProps } from '@toolwire/react'
import type { Token } from 'marked'
import { memo, useMemo, useState } from 'react'
import remend from 'remend'
import { isBounded, parseMarkdown } from './parse-markdown.ts'
import { Tokens } from './tokens.tsx'

export function Markdown({ text, streaming }: TextProps) {
  const [splitter] = useState(() => new MarkdownBlocks())
  const blocks = useMemo(() => splitter.update(text), [splitter, text])
  return blocks.map(block => <Block key={block.key} block={block} open={streaming && block.open} />)
}

interface BlockProps {
  readonly block: MarkdownBlock
  readonly open: boolean
}

const Block = memo(
  function Block({ block, open }: BlockProps) {
    const tokens = useMemo(() => parse(block, open), [block, open])
    if (block.kind === 'code') return <CodeBlock {...fencedCode(block)} open={open} />
    if (tokens) return <Tokens tokens={tokens} />
    return <p data-tw-part="paragraph">{block.raw.trimEnd()}</p>
  },
  // An open block is a new object every time; what it says decides.
  (a, b) => a.open === b.open && a.block.raw === b.block.raw && a.block.kind === b.block.kind,
)

function parse(block: MarkdownBlock, open: boolean): readonly Token[] | undefined {
  if (block.kind === 'code' || !isBounded(block.raw)) return undefined
  return parseMarkdown(open ? remend(block.raw) : block.raw)
}
