/** Facts of this app for a page's initialization. */
import type { CallView } from '@toolwire/core/view'
import type { BridgeState } from './bridge.ts'
import type { ToolPageJson } from './page-api.ts'
import type { Fields } from './page-message.ts'

interface HostOptions {
  readonly page: ToolPageJson
  readonly call: CallView
  readonly theme: 'light' | 'dark'
  readonly locale: string
  /** The page may use the origins that it asked for. */
  readonly network: boolean
  readonly canSay: boolean
}

export function hostFacts(options: HostOptions): BridgeState['host'] {
  const { page, call, network, canSay } = options
  const { name, title, description, input_schema } = page.tool
  const csp = network ? { connectDomains: page.connect, resourceDomains: page.load } : {}
  return {
    version: '0.1.0',
    capabilities: {
      openLinks: {},
      downloadFile: {},
      serverTools: {},
      serverResources: {},
      ...(canSay ? { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } } : {}),
      sandbox: { permissions: {}, csp },
    },
    context: {
      ...changing(options),
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: { maxWidth: MAX_WIDTH, maxHeight: MAX_HEIGHT },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      userAgent: 'toolwire',
      platform: 'web',
      toolInfo: {
        id: call.call_id,
        tool: {
          name,
          ...(title === undefined ? {} : { title }),
          description,
          inputSchema: { ...input_schema, type: 'object' },
        },
      },
    },
  }
}

export const MAX_HEIGHT = 2000
const MAX_WIDTH = 1200

/** The part of it that can change while the page is open. */
export const changing = ({ theme, locale }: Pick<HostOptions, 'theme' | 'locale'>): Fields => ({
  theme,
  locale,
})
