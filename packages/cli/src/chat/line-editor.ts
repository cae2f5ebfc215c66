/** The line that is being written: text, caret and history. Pure. */
export interface Line {
  readonly text: string
  /** In characters from the start of the text. */
  readonly caret: number
}

export interface KeyPress {
  readonly name?: string | undefined
  readonly sequence?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  readonly shift?: boolean | undefined
}

export const EMPTY_LINE: Line = { text: '', caret: 0 }
export const lineOf = (text: string): Line => ({ text, caret: text.length })

/** The line after a key; the same object when the key does nothing to it. */
export function editLine(line: Line, input: string | undefined, key: KeyPress): Line {
  const { text, caret } = line
  if (key.ctrl) return editByControl(line, key.name)
  switch (key.name) {
    case 'left':
      return { text, caret: caret - before(line).length }
    case 'right':
      return { text, caret: caret + after(line).length }
    case 'home':
      return { text, caret: 0 }
    case 'end':
      return { text, caret: text.length }
    case 'backspace':
      return remove(line, before(line).length, 0)
    case 'delete':
      return remove(line, 0, after(line).length)
    default:
      return input !== undefined && isPrintable(input) ? insert(line, input) : line
  }
}

function editByControl(line: Line, name: string | undefined): Line {
  const { text, caret } = line
  if (name === 'a') return { text, caret: 0 }
  if (name === 'e') return { text, caret: text.length }
  if (name === 'u') return remove(line, caret, 0)
  if (name === 'k') return remove(line, 0, text.length - caret)
  if (name === 'w') return remove(line, /\S*\s*$/u.exec(text.slice(0, caret))?.[0].length ?? 0, 0)
  return line
}

export const insert = ({ text, caret }: Line, added: string): Line => ({
  text: text.slice(0, caret) + added + text.slice(caret),
  caret: caret + added.length,
})

const remove = ({ text, caret }: Line, left: number, right: number): Line => ({
  text: text.slice(0, caret - left) + text.slice(caret + right),
  caret: caret - left,
})

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const before = ({ text, caret }: Line): string =>
  [...graphemes.segment(text.slice(0, caret))].at(-1)?.segment ?? ''
const after = ({ text, caret }: Line): string => [...graphemes.segment(text.slice(caret))][0]?.segment ?? ''
const isPrintable = (input: string): boolean => input !== '' && !/\p{Cc}/u.test(input)
