/** Numbers for people, in their language. */
const formats = new Map<string, Intl.NumberFormat>()

function number(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options)
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(locale, options)
  formats.set(key, made)
  return made
}

const unit = (value: number, name: string, locale: string, digits: number): string =>
  number(locale, {
    style: 'unit',
    unit: name,
    unitDisplay: locale.startsWith('zh') ? 'short' : 'narrow',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value)

const atLeastZero = (value: number): number => (Number.isFinite(value) ? Math.max(0, value) : 0)

/** `340ms`, `1.2s`, `12s`, `3m 5s`, `2h 4m`; negative and broken values count as zero. */
export function formatDuration(ms: number, locale = 'en'): string {
  const value = atLeastZero(ms)
  if (value < 1000) return unit(Math.round(value), 'millisecond', locale, 0)
  const seconds = value / 1000
  if (seconds < 9.95) return unit(seconds, 'second', locale, 1)
  const whole = Math.round(seconds)
  if (whole < 60) return unit(whole, 'second', locale, 0)
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return pair([minutes, 'minute'], [whole % 60, 'second'], locale)
  return pair([Math.floor(minutes / 60), 'hour'], [minutes % 60, 'minute'], locale)
}

type Part = readonly [number, string]
const pair = (big: Part, small: Part, locale: string): string =>
  [big, small].flatMap(([n, name]) => (n === 0 ? [] : [unit(n, name, locale, 0)])).join(' ')

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Powers of 1000: `512 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number, locale = 'en'): string {
  let value = atLeastZero(bytes)
  let size = 0
  while (value >= 999.5 && size < SIZES.length - 1) {
    value /= 1000
    size += 1
  }
  const digits = size > 0 && value < 99.95 ? 1 : 0
  return `${number(locale, { maximumFractionDigits: digits }).format(value)} ${SIZES[size] ?? 'B'}`
}

/** `—` when it is unknown: no number is better than a wrong one. Below a cent, four digits. */
export function formatCost(usd: number | undefined, locale = 'en'): string {
  if (usd === undefined || !Number.isFinite(usd)) return '—'
  const digits = Math.abs(usd) < 1 ? 4 : 2
  return number(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd)
}

/** `566`, `30.4K`, in Chinese `3.0万`. */
export const formatTokens = (tokens: number, locale = 'en'): string =>
  number(locale, { notation: tokens < 10_000 ? 'standard' : 'compact', maximumFractionDigits: 1 }).format(
    tokens,
  )

export const formatNumber = (value: number, locale = 'en'): string => number(locale, {}).format(value)
