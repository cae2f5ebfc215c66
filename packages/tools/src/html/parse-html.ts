/**
 * A page as a tree of bounded depth. The parser looks through everything that is open at each tag, so a page that opens
 * without end would hold the server up for minutes.
 */
import { DomHandler, Parser } from 'htmlparser2'
import { wordsOf } from './html-words.ts'

export type HtmlNode = DomHandler['dom'][number]
export type HtmlElement = Extract<HtmlNode, { readonly attribs: object }>

/** Browsers stop at this depth as well. */
const MAX_DEPTH = 512

export interface ParsedHtml {
  readonly nodes: readonly HtmlNode[]
  /** The words behind the place where it became too deep. */
  readonly rest: string
}

/** Never throws. */
export function parseHtml(html: string): ParsedHtml {
  const handler = new ShallowHandler()
  const parser = new Parser(handler)
  try {
    parser.end(html)
    return { nodes: handler.dom, rest: '' }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    return { nodes: handler.dom, rest: wordsOf(html.slice(parser.startIndex)) }
  }
}

class TooDeep extends Error {}

class ShallowHandler extends DomHandler {
  #depth = 0

  override onopentag(...given: Parameters<DomHandler['onopentag']>): void {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new TooDeep()
    super.onopentag(...given)
  }

  override onclosetag(): void {
    this.#depth -= 1
    super.onclosetag()
  }
}
