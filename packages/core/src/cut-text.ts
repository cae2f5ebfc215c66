/** Cuts of text that never split a character, with what is missing said in the text. */

/** At most about `max` characters: the first and last halves around a marker. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const head = safeHead(text, half)
  const tail = safeTail(text, half)
  const missing = text.length - head.length - tail.length
  return `${head}\n… [${missing} characters left out] …\n${tail}`
}

/** The first `max` UTF-16 units, one less when that would split a surrogate pair. */
export function safeHead(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, isHighSurrogate(text, max - 1) ? max - 1 : max)
}

/** The last `max` UTF-16 units, one less when that would split a surrogate pair. */
export function safeTail(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  const start = text.length - max
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start)
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xd800 && code <= 0xdbff
}
