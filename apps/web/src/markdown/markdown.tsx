/**
 * Markdown of models as elements. No HTML is ever made from it: tags in the text are shown as text,
 * so nothing has to be sanitised. Finished blocks are parsed once; only the open end is parsed anew.
 */
import { type MarkdownBlock, MarkdownBlocks } from '@toolwire/core/view'
import type { TextProps } from '@toolwire/react'
import { lexer, type Token } from 'marked'
import { memo, useMemo, useState } from 'react'
import remend from 'remend'
import { CodeBlock } from './code-block.tsx'
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
    if (block.kind === 'code') return <CodeBlock {...fenced(block)} open={open} />
    return <Tokens tokens={tokens} />
  },
  // An open block is a new object every time; what it says decides.
  (a, b) => a.open === b.open && a.block.raw === b.block.raw && a.block.kind === b.block.kind,
)

function parse(block: MarkdownBlock, open: boolean): readonly Token[] {
  if (block.kind === 'code') return []
  const source = open ? remend(block.raw) : block.raw
  return lexer(source, { gfm: true })
}

/** The inside of a fence, without the fence, and without the indentation that it had. */
function fenced({ raw, lang = '' }: MarkdownBlock): { readonly code: string; readonly lang: string } {
  const lines = raw.replace(/\n$/, '').split('\n')
  const opening = /^( *)(`{3,}|~{3,})/.exec(lines[0] ?? '')
  const indent = opening?.[1]?.length ?? 0
  const fence = opening?.[2] ?? '```'
  const last = lines.at(-1)?.trim() ?? ''
  const closed = lines.length > 1 && last.startsWith(fence) && last === fence.charAt(0).repeat(last.length)
  const body = lines.slice(1, closed ? -1 : undefined)
  const code = indent === 0 ? body : body.map(line => line.replace(new RegExp(`^ {1,${indent}}`), ''))
  return { code: code.join('\n'), lang }
}
