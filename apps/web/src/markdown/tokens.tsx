/** Parsed Markdown as elements, token by token. What is not known is shown as the text that it was. */
import { CodeBlock, GatedImage, Icon, SafeLink } from '@toolwire/react'
import type { Tokens as Marked, Token } from 'marked'
import { Fragment, type ReactNode } from 'react'

export function Tokens({ tokens }: { readonly tokens: readonly Token[] | undefined }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a parsed block is drawn as a whole
  return tokens?.map((token, index) => <Fragment key={index}>{toElement(token as MarkdownToken)}</Fragment>)
}

type MarkdownToken = Marked.Generic | Exclude<Token, Marked.Generic>

function toElement(token: MarkdownToken): ReactNode {
  return isInline(token.type) ? inline(token as Token) : block(token as Token)
}

const INLINE: ReadonlySet<string> = new Set([
  'strong',
  'em',
  'del',
  'codespan',
  'br',
  'link',
  'image',
  'text',
  'escape',
])
const isInline = (type: string): boolean => INLINE.has(type)

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Tokens tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Tokens tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Tokens tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link token={token as Marked.Link} />
    case 'image':
      return <GatedImage src={String(token.href)} alt={String(token.text)} />
    default:
      return 'tokens' in token && token.tokens ? (
        <Tokens tokens={token.tokens} />
      ) : (
        decode('text' in token ? String(token.text) : token.raw)
      )
  }
}

/** A plain label is passed as text, so that the link can check if it already names its host. */
function Link({ token }: { readonly token: Marked.Link }) {
  const plain = token.tokens.every(part => part.type === 'text')
  return (
    <SafeLink href={token.href}>{plain ? decode(token.text) : <Tokens tokens={token.tokens} />}</SafeLink>
  )
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <Heading depth={token.depth} tokens={token.tokens} />
    case 'paragraph':
      return (
        <p>
          <Tokens tokens={token.tokens} />
        </p>
      )
    case 'code':
      return <CodeBlock code={token.text} lang={token.lang ?? ''} open={false} />
    case 'blockquote':
      return (
        <blockquote>
          <Tokens tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return <List token={token as Marked.List} />
    case 'checkbox':
      return <Task done={token.checked === true} />
    case 'table':
      return <Table token={token as Marked.Table} />
    case 'hr':
      return <hr />
    default:
      return token.raw
  }
}

/** A box of a task list; it shows, it cannot be ticked. */
function Task({ done }: { readonly done: boolean }) {
  return (
    <span className="task" data-done={done} role="img" aria-label={done ? '[x]' : '[ ]'}>
      <Icon name={done ? 'check' : 'ring'} />
    </span>
  )
}

/** Headings of a message rank below those of the page. */
function Heading({ depth, tokens }: { readonly depth: number; readonly tokens: Token[] | undefined }) {
  const Tag = `h${Math.min(6, depth + 2)}` as 'h3' | 'h4' | 'h5' | 'h6'
  return (
    <Tag data-depth={depth}>
      <Tokens tokens={tokens} />
    </Tag>
  )
}

function List({ token }: { readonly token: Marked.List }) {
  const Tag = token.ordered ? 'ol' : 'ul'
  const start = token.ordered && token.start !== 1 && token.start !== '' ? { start: token.start } : {}
  return (
    <Tag {...start}>
      {token.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a parsed block is drawn as a whole
        <li key={index} data-task={item.task ? String(item.checked === true) : undefined}>
          <Tokens tokens={item.tokens} />
        </li>
      ))}
    </Tag>
  )
}

function Table({ token }: { readonly token: Marked.Table }) {
  const cells = (row: Marked.TableCell[], Tag: 'th' | 'td') =>
    row.map((cell, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a parsed block is drawn as a whole
      <Tag key={index} data-align={cell.align ?? undefined}>
        <Tokens tokens={cell.tokens} />
      </Tag>
    ))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard
    <div className="table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(token.header, 'th')}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a parsed block is drawn as a whole
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
}
/** The common entities of HTML as characters; others stay as they were written. */
const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
