/**
 * Cuts text into deltas the way providers do. Joined pieces equal the text, no piece
 * is empty and no piece ends inside a surrogate pair.
 */
type Random = () => number

const WORDS = /[\p{Script=Han}]{1,4}|\s*[^\s\p{Script=Han}]{1,24}|\s+/gu

/** Prose: about a word at a time, one to four characters of Chinese. */
export function splitProse(text: string, random: Random): readonly string[] {
  const words = text.match(WORDS) ?? []
  const most = Math.max(2, Math.ceil(words.length / 1500))
  const pieces: string[] = []
  for (let at = 0; at < words.length; ) {
    const take = 1 + Math.floor(random() * most)
    pieces.push(words.slice(at, at + take).join(''))
    at += take
  }
  return pieces
}

/**
 * Tool input: uneven pieces that ignore the grammar, so that keys, numbers and escapes
 * are torn apart. A cut near a backslash moves right behind it: readers must survive that.
 */
export function splitJson(text: string, random: Random): readonly string[] {
  const most = Math.min(96, Math.max(11, Math.ceil(text.length / 1000)))
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * most)
    const end = wholeCharacter(text, behindBackslash(text, at, Math.min(text.length, at + size)))
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function behindBackslash(text: string, from: number, end: number): number {
  const near = text.lastIndexOf('\\', end + 1)
  return near >= from && near >= end - 2 && near < text.length - 1 ? near + 1 : end
}

function wholeCharacter(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff && end < text.length ? end + 1 : end
}
