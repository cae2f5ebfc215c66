/** The page of `examples/copilotkit` as a person sees and uses it, with the components of either generation. */
import type { Browser, Page } from 'playwright-core'
import { visit } from '../../../apps/web/test/browser.ts'
import { eventually } from '../../../examples/test/chat-page.ts'

export interface CopilotPage {
  readonly page: Page
  readonly problems: readonly string[]
  /** The id of the thread: the address names it. */
  readonly thread: () => string
  readonly say: (text: string) => Promise<void>
  /** What was said by whom, in order; the messages of one answer are one. Letters and digits alone: the rest is drawn. */
  readonly talk: () => Promise<readonly string[]>
  /** State of each call, in order. */
  readonly calls: () => Promise<readonly string[]>
  readonly isRunning: () => Promise<boolean>
  /** Waits for the end of the run. */
  readonly rest: () => Promise<void>
  readonly press: (part: string) => Promise<void>
  readonly stop: () => Promise<void>
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

const RUNNING = '[data-copilot-running="true"], [data-copilotkit-in-progress="true"]'
const USER = '[data-testid="copilot-user-message"], .copilotKitUserMessage'
const ANSWER = '[data-testid="copilot-assistant-message"], .copilotKitAssistantMessage'
/** Parts of a message that are no text of its speaker. */
const AROUND = 'section, button, img, [data-testid$="toolbar"], .copilotKitMessageControls'

export async function openCopilot(browser: Browser, url: string): Promise<CopilotPage> {
  const { page, problems } = await visit(browser, url)
  return await toCopilot(page, problems)
}

/** Another tab of the same thread. */
export async function anotherCopilot({ page }: CopilotPage): Promise<CopilotPage> {
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  return await toCopilot(tab, [])
}

async function toCopilot(page: Page, problems: readonly string[]): Promise<CopilotPage> {
  const input = page.locator('textarea').first()
  await input.waitFor()
  const isRunning = async (): Promise<boolean> => (await page.locator(RUNNING).count()) > 0
  return {
    page,
    problems,
    thread: () => new URL(page.url()).hash.slice(1),
    async say(text) {
      await input.fill(text)
      await input.press('Enter')
    },
    talk: async () => toTurns(await page.locator(`${USER}, ${ANSWER}`).evaluateAll(readMessages, [USER, AROUND])),
    calls: () =>
      page
        .locator('[data-part="call"]')
        .evaluateAll(found => found.map(one => one.getAttribute('data-state') ?? '')),
    isRunning,
    rest: () => eventually(isRunning).toBe(false),
    press: part => page.locator(`[data-part="${part}"]`).last().click(),
    stop: () => page.locator('[data-testid="copilot-send-button"]').click(),
    async reload() {
      await page.reload()
      await input.waitFor()
    },
    close: () => page.context().close(),
  }
}

/** Runs in the page. */
function readMessages(found: readonly Element[], [user = '', around = '']: readonly string[]): string[] {
  return found.map(one => {
    const copy = one.cloneNode(true) as Element
    for (const part of copy.querySelectorAll(around)) part.remove()
    return `${one.matches(user) ? 'user' : 'assistant'}: ${copy.textContent}`
  })
}

/** Texts as they are said, without marks and spaces; messages of one speaker that follow each other are one. */
export function toTurns(talk: readonly string[]): readonly string[] {
  const turns: string[] = []
  for (const one of talk) {
    const speaker = one.slice(0, one.indexOf(':') + 1)
    const text = one.slice(speaker.length).replaceAll(/[^\p{L}\p{N}]/gu, '')
    if (turns.at(-1)?.startsWith(speaker)) turns.push(`${turns.pop()}${text}`)
    else turns.push(`${speaker}${text}`)
  }
  return turns.filter(turn => !turn.endsWith(':'))
}
