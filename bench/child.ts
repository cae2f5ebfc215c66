/** A measured server as its parent sees it. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Measured<T> {
  readonly url: string
  readonly report: () => Promise<T>
  readonly stop: () => Promise<void>
}

/** Starts `program` (a file of this folder) and waits until it listens. */
export async function startMeasured<T>(
  program: string,
  options: { readonly execArgv?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Measured<T>> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    execArgv: ['--conditions=toolwire-source', ...(options.execArgv ?? [])],
    env: { ...process.env, ...options.env },
  })
  const { url } = await nextMessage<{ url: string }>(child)
  return {
    url,
    async report() {
      child.send('report')
      return await nextMessage<T>(child)
    },
    async stop() {
      child.send('stop')
      await new Promise(resolve => child.once('exit', resolve))
    },
  }
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void =>
      reject(new Error(`the server under measurement ended with ${code}`))
    child.once('exit', ended)
    child.once('message', value => {
      child.off('exit', ended)
      resolve(value as T)
    })
  })
}
