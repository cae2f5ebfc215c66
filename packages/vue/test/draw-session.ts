/** One view, drawn by either package to HTML. */
import { STRINGS } from '@toolwire/core/strings'
import type { LOCALES, SessionView } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { noCommands as commands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { fixedSession } from './fixtures.ts'

const NOW = Date.parse('2026-01-01T00:10:00Z')
export type DrawOptions = { readonly locale: (typeof LOCALES)[number]; readonly density: inReact.Density }

/** The HTML that the React parts make of a view. */
export function drawReact(view: SessionView, { locale, density }: DrawOptions): string {
  const given = { session: fixedSession(view), commands, strings: STRINGS[locale], density, clock: () => NOW }
  const { ApprovalBatch, Composer, ConnectionChip, ContextMeter, Conversation, SessionProvider, Timeline } =
    inReact
  return renderToStaticMarkup(
    createElement(
      SessionProvider,
      given,
      createElement(ConnectionChip),
      createElement(Conversation),
      createElement(ApprovalBatch),
      createElement(Composer),
      createElement(ContextMeter, { window: 10_000 }),
      createElement(Timeline),
    ),
  )
}

/** The HTML that the Vue parts make of it. */
export async function drawVue(view: SessionView, { locale, density }: DrawOptions): Promise<string> {
  const given = { session: fixedSession(view), commands, strings: STRINGS[locale], density, clock: () => NOW }
  const { ApprovalBatch, Composer, ConnectionChip, ContextMeter, Conversation, SessionProvider, Timeline } =
    inVue
  const app = createSSRApp(() =>
    h(SessionProvider, given, () => [
      h(ConnectionChip),
      h(Conversation),
      h(ApprovalBatch),
      h(Composer),
      h(ContextMeter, { window: 10_000 }),
      h(Timeline),
    ]),
  )
  return await renderToString(app)
}
