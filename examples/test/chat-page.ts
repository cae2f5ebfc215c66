/** The page of `examples/ai-sdk` as a person sees and uses it. */
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { visit } from '../../apps/web/test/browser.ts'

/** Tries until it holds; what never holds fails. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 })

export interface ChatPage {
  readonly page: Page
  readonly problems: readonly string[]
  readonly say: (text: string) => Promise<void>
  /** Texts of all messages, as `role: text`. */
  readonly talk: () => Promise<readonly string[]>
  /** Text of the last message. */
  readonly last: () => Promise<string>
  /** Ids of all messages. */
  readonly ids: () => Promise<readonly string[]>
  /** State of each call, in order. */
  readonly calls: () => Promise<readonly string[]>
  /** Waits for the end of the response. */
  readonly rest: (status?: 'ready' | 'error') => Promise<void>
  readonly press: (part: string) => Promise<void>
  readonly close: () => Promise<void>
}

export async function openChat(browser: Browser, url: string): Promise<ChatPage> {
  const { page, problems } = await visit(browser, url)
  await page.locator('main').waitFor()
  return toChat(page, problems)
}

/** Another tab of the same chat. */
export async function anotherTab(chat: ChatPage): Promise<ChatPage> {
  const page = await chat.page.context().newPage()
  await page.goto(chat.page.url())
  await page.locator('main').waitFor()
  return toChat(page, [])
}

export async function reload(chat: ChatPage): Promise<void> {
  await chat.page.reload()
  await chat.page.locator('main').waitFor()
}

/** The id of the chat: its address names it. */
export const idOf = ({ page }: ChatPage): string => new URL(page.url()).hash.slice(1)

/** The messages of the chat as the server lists them, as `role: text`. `base` is the route of the chats. */
export async function savedTalk(base: string, chat: ChatPage): Promise<readonly string[]> {
  const response = await fetch(`${base}/${idOf(chat)}/messages`)
  const { messages } = (await response.json()) as { readonly messages: readonly ListedMessage[] }
  return messages.map(
    ({ role, parts }) => `${role}: ${parts.map(one => (one.type === 'text' ? one.text : '')).join('')}`,
  )
}

interface ListedMessage {
  readonly role: string
  readonly parts: readonly { readonly type: string; readonly text?: string }[]
}

function toChat(page: Page, problems: readonly string[]): ChatPage {
  const articles = page.locator('article')
  const attributes = (selector: string, name: string): Promise<readonly string[]> =>
    page.locator(selector).evaluateAll((found, key) => found.map(one => one.getAttribute(key) ?? ''), name)
  return {
    page,
    problems,
    async say(text) {
      await page.fill('[name="text"]', text)
      await page.press('[name="text"]', 'Enter')
    },
    talk: () =>
      articles.evaluateAll(found =>
        found.map(one => {
          const texts = [...one.querySelectorAll('[data-part="text"]')].map(part => part.textContent)
          return `${one.getAttribute('data-role')}: ${texts.join('')}`
        }),
      ),
    last: async () => (await articles.last().locator('[data-part="text"]').allTextContents()).join(''),
    ids: () => attributes('article', 'data-id'),
    calls: () => attributes('[data-part="call"]', 'data-state'),
    async rest(status = 'ready') {
      await eventually(() => page.locator('main').getAttribute('data-status')).toBe(status)
    },
    press: part => page.locator(`[data-part="${part}"]`).last().click(),
    close: () => page.context().close(),
  }
}
