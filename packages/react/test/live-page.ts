/** A page without a browser beside the real server, for tests of the parts of any framework. */
import './dom.ts'
import { createClient } from '@toolwire/client'
import { afterEach, beforeEach, expect } from 'vitest'
import { realServer } from '../../client/test/real-server.ts'

export interface LivePage {
  readonly client: () => ReturnType<typeof createClient>
  /** A separate empty element for every test. */
  readonly place: () => HTMLElement
  /** Waits until something is drawn. */
  readonly found: (selector: string) => Promise<void>
  readonly click: (selector: string) => Promise<void>
  /** As a browser does it: the value, then the event. */
  readonly type: (selector: string, text: string) => Promise<void>
}

/** Starts the server before the tests of a file and stops it after them; a client and a place for each test. */
export function setUpLivePage(): LivePage {
  const url = realServer()
  let place: HTMLElement
  let client: ReturnType<typeof createClient>
  beforeEach(() => {
    place = document.createElement('div')
    document.body.append(place)
    client = createClient({ baseUrl: url() })
  })
  afterEach(() => {
    place.remove()
    client.close()
  })

  const found = async (selector: string): Promise<void> => {
    await expect.poll(() => place.querySelector(selector), { timeout: 60_000 }).not.toBeNull()
  }
  return {
    client: () => client,
    place: () => place,
    found,
    async click(selector) {
      await found(selector)
      place.querySelector<HTMLElement>(selector)?.click()
    },
    async type(selector, text) {
      await found(selector)
      const area = place.querySelector<HTMLTextAreaElement>(selector)
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
      set?.call(area, text)
      area?.dispatchEvent(new Event('input', { bubbles: true }))
    },
  }
}
