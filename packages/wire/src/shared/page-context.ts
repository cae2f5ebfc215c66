/** Context that a page adds to a message: marked as not verified, and not shown as a part of the message. */
import type { ContentPart } from '@toolwire/core'

const OPEN = '<page_context verified="false">'

export const toPageContext = (text: string): ContentPart => ({
  type: 'text',
  text: `${OPEN}\n${text.replaceAll('</page_context>', '')}\n</page_context>`,
})

export const isPageContext = (part: ContentPart): boolean =>
  part.type === 'text' && part.text.startsWith(OPEN)
