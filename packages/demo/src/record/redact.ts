/** Takes secrets out of what is to be written down. Pure. */
import { isObject } from '@toolwire/core'

const HIDDEN = '[redacted]'
const SECRET_KEYS =
  /^(authorization|x-api-key|api[-_]?key|cookie|set-cookie|password|secret|access[-_]?token|user_id)$/i
/** Keys of known vendors, tokens, and private key blocks, anywhere in a text. */
const SECRET_TEXT =
  /\b(sk-[A-Za-z0-9_-]{8,}|tvly-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{16}|xox[abpr]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,})|Bearer\s+[A-Za-z0-9._~+/-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g

/** A copy with secret fields and secret-looking text replaced. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(SECRET_TEXT, HIDDEN)
  if (Array.isArray(value)) return value.map(redact)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      SECRET_KEYS.test(key) && entry != null ? HIDDEN : redact(entry),
    ]),
  )
}

const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'request-id',
  'x-request-id',
  'retry-after',
])

/** Only headers known to be harmless. */
export function redactHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => KEPT_HEADERS.has(name)))
}
