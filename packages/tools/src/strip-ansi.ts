/** Terminal control sequences and other control characters, which mean nothing to a model. */

const ESC = String.fromCharCode(27)
const BEL = String.fromCharCode(7)
const ESCAPES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`, // CSI
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, // OSC
    `${ESC}[PX^_][^${ESC}]*${ESC}\\\\`, // DCS, SOS, PM, APC
    `${ESC}[@-Z\\\\-_a-z]`,
  ].join('|'),
  'g',
)

/** Tabs and line breaks stay; a line that was overwritten with carriage returns keeps its last state. */
export function stripAnsi(text: string): string {
  const plain = text.replaceAll(ESCAPES, '').replaceAll('\r\n', '\n')
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain
  // `\p{Cc}` is every control character; the ones a text needs are put back.
  return lines.replaceAll(/(?![\n\t])\p{Cc}/gu, '')
}

/** A carriage return right before a line break overwrites nothing. */
function lastState(line: string, index: number, all: readonly string[]): string {
  const isEnded = index < all.length - 1
  return line.slice(line.lastIndexOf('\r', isEnded && line.endsWith('\r') ? line.length - 2 : undefined) + 1)
}
