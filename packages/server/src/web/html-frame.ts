/**
 * The empty page into which the web app puts HTML that a tool has written, inside of a sandboxed frame. Whatever
 * is shown there has an origin of its own that nobody shares and no storage. The policy here forbids what it
 * loads, that of the app where the frame may go.
 */
import { createHash } from 'node:crypto'

/** Address of the page. */
export const FRAME_PATH = '/frame'

/** Takes one text, from the page around it alone, and becomes it. */
const SCRIPT = `addEventListener('message', function take(event) {
  if (parent === window || event.source !== parent || typeof event.data !== 'string') return
  removeEventListener('message', take)
  document.open()
  document.write(event.data)
  document.close()
})`

export const FRAME_PAGE = `<!doctype html><meta charset="utf-8"><title>Page of a tool</title><script>${SCRIPT}</script>`

const OWN_SCRIPT = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`

const HEADERS = {
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), clipboard-read=(), clipboard-write=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // A name that is only looked up would tell something, too.
  'x-dns-prefetch-control': 'off',
  'cache-control': 'no-cache',
} as const

/** What somebody has allowed the page that is shown; nothing when absent. */
export interface FrameLeave {
  /** Inline scripts may run. */
  readonly scripts?: boolean
  /** Origins, parted by spaces, that scripts may connect to, and that pictures, styles, scripts, fonts and media come from. */
  readonly connect?: string
  readonly load?: string
  /** Where the request came to: never among them. */
  readonly host?: string
}

/** What is no origin that can be named in a policy, or the server's own, is left out: a mistake never allows more. */
export function frameHeaders(leave: FrameLeave): Readonly<Record<string, string>> {
  const connect = originsIn(leave.connect, leave.host)
  const load = originsIn(leave.load, leave.host)
  const from = (directive: string, ...sources: readonly string[]): string =>
    [directive, ...sources, ...load].join(' ')
  return {
    ...HEADERS,
    'content-security-policy': [
      // Also when somebody opens the address by itself.
      'sandbox allow-scripts',
      "default-src 'none'",
      leave.scripts ? from('script-src', "'unsafe-inline'") : `script-src ${OWN_SCRIPT}`,
      from('style-src', "'unsafe-inline'"),
      from('img-src', 'data:', 'blob:'),
      from('font-src', 'data:'),
      from('media-src', 'data:', 'blob:'),
      ...(connect.length > 0 ? [['connect-src', ...connect].join(' ')] : []),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
  }
}

const MAX_ORIGINS = 20
const ORIGIN = /^(?:https|wss):\/\/(?:\*\.)?((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*)(?::\d{1,5})?$/i

/** Only of encrypted origins with a name: addresses of machines, and those of the own network, are none. */
function originsIn(text = '', host = ''): readonly string[] {
  const [own = ''] = host.toLowerCase().split(':', 1)
  return text
    .split(' ')
    .slice(0, MAX_ORIGINS)
    .filter(origin => {
      const name = ORIGIN.exec(origin)?.[1]?.toLowerCase()
      return name !== undefined && name !== own && !own.endsWith(`.${name}`) && !LOCAL.test(name)
    })
}

const LOCAL = /\.(?:local|lan|internal|localhost|home\.arpa)$/
