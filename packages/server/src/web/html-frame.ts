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

/** With `scripts`, those that stand in the text itself may run; otherwise none does. */
export const frameHeaders = (scripts: boolean): Readonly<Record<string, string>> => ({
  ...HEADERS,
  'content-security-policy': [
    // Also when somebody opens the address by itself.
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${scripts ? "'unsafe-inline'" : OWN_SCRIPT}`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'font-src data:',
    'media-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
})
