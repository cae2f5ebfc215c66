/**
 * Text as people may see it. Characters that hide, reorder or erase other text become visible marks such as
 * ⟨U+202E⟩: control characters, bidirectional controls, zero-width and tag characters. Line breaks and tabs stay,
 * and so do the invisible characters that emoji, Persian or Indic words and variants of Han characters need.
 */

const HIDDEN = String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?`
/** Scripts whose letters join, or not, by an invisible character between them. */
const JOINING = [
  'Arab',
  'Syrc',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
]
  .concat(['Sinh', 'Khmr'])
  .map(script => `\\p{Script=${script}}`)
  .join('')

/** Every one of these is drawn: at most one invisible character follows a visible one. */
const NEEDED = [
  String.raw`[\n\t]|\r(?=\n|$)`,
  // Keycaps, and the flags of England, Scotland and Wales.
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`${PICTOGRAPH}(?:\u200d${PICTOGRAPH})*`,
  String.raw`\p{Script=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[${JOINING}])[\u200c\u200d\u180b-\u180f]`,
]

const ANY_HIDDEN = new RegExp(HIDDEN, 'u')
const EVERY_HIDDEN = new RegExp(HIDDEN, 'gu')
const IN_TEXT = new RegExp(`${NEEDED.join('|')}|(${HIDDEN})`, 'gu')
const IN_LINE = new RegExp(`${NEEDED.slice(1).join('|')}|(${HIDDEN})`, 'gu')

/** Linear in the text. A text without such characters is returned as it is. */
export const markControls = (text: string): string => mark(text, IN_TEXT)

/** The same for what has to stay on one line, such as a row of a list: breaks and tabs are marked too. */
export const markLine = (text: string): string => mark(text, IN_LINE)

/** The same value as JSON that hides nothing: such characters of a text become escapes. */
export const escapeControls = (json: string): string =>
  json.replace(EVERY_HIDDEN, found =>
    found === '\n'
      ? found
      : found.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

function mark(text: string, pattern: RegExp): string {
  if (!ANY_HIDDEN.test(text)) return text
  return text.replace(pattern, (found, hidden: string | undefined) =>
    hidden === undefined ? found : toMark(hidden),
  )
}

const toMark = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
