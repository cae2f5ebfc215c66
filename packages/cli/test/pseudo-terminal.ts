/** The command in a real pseudo-terminal, by Python's standard library: no native module is needed. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Copies between its own pipes and the terminal, which has the given size. */
const BRIDGE = `
import fcntl, os, pty, select, struct, sys, termios
rows, cols = int(sys.argv[1]), int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))
open_in = True
while True:
    ready, _, _ = select.select([fd] + ([0] if open_in else []), [], [])
    if 0 in ready:
        data = os.read(0, 65536)
        open_in = len(data) > 0
        if data:
            os.write(fd, data)
    if fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b''
        if not data:
            break
        os.write(1, data)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`

export interface TerminalOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly rows?: number
  readonly columns?: number
  /** The program; the command when absent. */
  readonly main?: string
}

export interface Terminal {
  /** Types text or keys. */
  readonly type: (text: string) => void
  /** Resolves when what was written since the last found text matches. */
  readonly see: (text: RegExp | string) => Promise<string>
  /** Everything so far, with and without escape codes. */
  readonly raw: () => string
  readonly plain: () => string
  readonly ended: Promise<number | null>
  readonly kill: () => void
}

export function openTerminal(
  args: readonly string[],
  { cwd, env = {}, rows = 24, columns = 80, main = MAIN }: TerminalOptions,
): Terminal {
  const command = [process.execPath, '--conditions=toolwire-source', main, ...args]
  const child = spawn('python3', ['-c', BRIDGE, String(rows), String(columns), ...command], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm-256color', LANG: 'en_US.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  let from = 0
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
    notify()
  })
  let isOver = false
  const ended = new Promise<number | null>(resolve =>
    child.on('close', code => {
      isOver = true
      notify()
      resolve(code)
    }),
  )
  const plain = () => stripVTControlCharacters(output)
  const see = (text: RegExp | string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const rest = plain().slice(from)
        const found = typeof text === 'string' ? rest.indexOf(text) : rest.search(text)
        if (found >= 0) {
          from += found + 1
          listeners.delete(look)
          resolve(rest.slice(found))
        } else if (isOver) reject(new Error(`The command ended without ${text}:\n${rest}`))
      }
      listeners.add(look)
      look()
    })
  return {
    type: text => void child.stdin.write(text),
    see,
    raw: () => output,
    plain,
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}
