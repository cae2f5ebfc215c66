/**
 * Text from outside (pages, MCP servers, agents, project files) as a model gets it: between tags that hold a word which its
 * author cannot know, and without anything that looks like the end of those tags. Pure.
 */

export interface Fence {
  /** Unguessable, and the same for the life of a session. */
  readonly boundary: string
  /** The source of text: an address, a server, a path. */
  readonly source: string
  /** The tag's name; `outside` when absent. */
  readonly tag?: 'outside' | 'instructions'
}

const MAX_SOURCE = 300

/** The text in its fence. Says in the opening tag how many hidden characters it lost. */
export function fenceText(text: string, { boundary, source, tag = 'outside' }: Fence): string {
  const visible = text.replaceAll(HIDDEN, '')
  const removed = text.length - visible.length
  const lost = removed === 0 ? '' : ` removed="${removed} hidden characters"`
  const name = `${tag}-${boundary}`
  return `<${name} source="${toAttribute(source)}"${lost}>\n${withoutTags(withoutBoundary(visible, boundary))}\n</${name}>`
}

/** A notice of this server, in a place where the provider has no role for it. */
export function systemNotice(text: string, boundary: string | undefined): string {
  const name = boundary === undefined ? 'system' : `system-${boundary}`
  return `<${name}>\n${text}\n</${name}>`
}

/** Words of a model or of a stranger inside a sentence of ours: one line, quoted, harmless. */
export function quoteInline(text: string, limit = 200): string {
  const line = withoutTags(text.replaceAll(HIDDEN, '').replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')).trim()
  return JSON.stringify(line.length > limit ? `${line.slice(0, limit)}…` : line)
}

/** Returns the inside of a text that is one fence; else the text. */
export function unfenceText(text: string): string {
  const opening = OPENING.exec(text)
  const end = opening === null ? '' : `\n</${opening[1]}>`
  return opening !== null && text.endsWith(end) ? text.slice(opening[0].length, -end.length) : text
}

const OPENING = /^<((?:outside|instructions)-[0-9A-Za-z]+) source="[^"\n]*"(?: removed="[^"\n]*")?>\n/

/** Text that holds the boundary although its author cannot know it: the model has passed it on. */
export function withoutBoundary(text: string, boundary: string): string {
  if (boundary === '' || !text.toLowerCase().includes(boundary.toLowerCase())) return text
  return text.replaceAll(
    new RegExp(boundary.replaceAll(/[^0-9A-Za-z]/g, String.raw`\$&`), 'gi'),
    '[boundary]',
  )
}

/**
 * Characters without a shape: tags (U+E0000 to U+E007F), directions, zero-width ones, variation selectors' supplement, and
 * controls other than tab and line ends. A reader would not see what they say.
 */
const HIDDEN = new RegExp(
  [
    '[\\u{E0000}-\\u{E007F}]',
    '[\\u{E0100}-\\u{E01EF}]',
    '[\\u061C\\u115F\\u1160\\u3164\\uFFA0\\u00AD\\u034F\\uFEFF]',
    '[\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFFF0-\\uFFFB]',
    '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]',
  ].join('|'),
  'gu',
)

/** Brackets that a reader takes for `<`. */
const BRACKET =
  '[<\\uFF1C\\uFE64\\u2039\\u3008\\u27E8\\u2329\\u276E\\u02C2\\u1438\\u226E\\u27EA\\u300A\\u00AB]'
const SLASH = '[/\\\\\\uFF0F\\u2044\\u2215\\u29F8\\u2571]'
const TAG = new RegExp(
  `${BRACKET}(?=[ \\t\\r\\n]{0,8}${SLASH}{0,2}[ \\t\\r\\n]{0,8}([\\p{L}\\p{M}\\p{N}_:.-]{2,40}))`,
  'gu',
)

/** Names of tags that speak for another author than the text's. */
const RESERVED =
  /^(?:antml[:_.-]|system|outside|instructions|human|user|assistant|developer|tool[_-]?(?:use|result|call)|function[_-]?(?:calls?|results?)|invoke|conversation|context|environment|reminder)/

/** `&lt;` in place of the bracket of every reserved tag, also of those that only look like one. */
export function withoutTags(text: string): string {
  return text.replaceAll(TAG, (bracket: string, name: string) =>
    RESERVED.test(skeleton(name)) ? '&lt;' : bracket,
  )
}

/** The text without hidden characters and without tags that speak for others, where it cannot have a fence. */
export const defuseText = (text: string): string => withoutTags(text.replaceAll(HIDDEN, ''))

/** A name as a reader sees it: without marks, in lower case, with look-alike letters of other scripts made Latin. */
function skeleton(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return [...plain].map(letter => LOOK_ALIKES[letter] ?? letter).join('')
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  ӏ: 'l',
  м: 'm',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  ѵ: 'v',
  ԝ: 'w',
  п: 'n',
  α: 'a',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  μ: 'm',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  σ: 'o',
  τ: 't',
  υ: 'u',
  χ: 'x',
  γ: 'y',
  ϲ: 'c',
  ϳ: 'j',
  ѡ: 'w',
  ꜱ: 's',
  ʏ: 'y',
  ᴛ: 't',
  ᴇ: 'e',
  ᴍ: 'm',
  ɪ: 'i',
  ɑ: 'a',
  ı: 'i',
  ԛ: 'q',
  '0': 'o',
  '1': 'l',
  '5': 's',
  '3': 'e',
}

/** One line without what could end an attribute. */
const toAttribute = (text: string): string =>
  text
    .replaceAll(HIDDEN, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, MAX_SOURCE)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
