/**
 * The empty page into which the web app puts a tool's HTML, inside of a sandboxed frame. Its content has a unique
 * origin and no storage. This policy restricts what it loads, the app's policy where the frame may navigate.
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
  // A DNS lookup alone would leak information, too.
  'x-dns-prefetch-control': 'off',
  'cache-control': 'no-cache',
} as const

/** Permissions of the shown page; none if absent. */
export interface FrameLeave {
  /** Inline scripts may run. */
  readonly scripts?: boolean
  /**
   * Origins, separated by spaces, for connections of scripts, and for images, styles, scripts, fonts and media.
   */
  readonly connect?: string
  readonly load?: string
  /** The request's own host: never among them. */
  readonly host?: string
}

/** Omits values that are no origin or the server's own: a mistake never allows more. */
export function frameHeaders(leave: FrameLeave): Readonly<Record<string, string>> {
  const connect = originsIn(leave.connect, leave.host)
  const load = originsIn(leave.load, leave.host)
  const from = (directive: string, ...sources: readonly string[]): string =>
    [directive, ...sources, ...load].join(' ')
  return {
    ...HEADERS,
    'content-security-policy': [
      // Also for a direct visit of the address.
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

/** Only encrypted origins with a name: IP addresses and local networks are excluded. */
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
