/** Questions to the user of the terminal. */
import { createInterface } from 'node:readline/promises'

/** Undefined where there is no terminal to ask at. The answer is yes only for `y` or `yes`. */
export function terminalAsk(): ((question: string) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return async question => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    const closed = new Promise<string>(resolve => terminal.once('close', () => resolve('')))
    try {
      const answer = await Promise.race([terminal.question(`${question}\nAllow this? [y/N] `), closed])
      return /^y(es)?$/i.test(answer.trim())
    } finally {
      terminal.close()
    }
  }
}
