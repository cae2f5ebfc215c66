/** Lets a test do something between any two steps that the code under test takes in the file system. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Call = (...given: unknown[]) => unknown

const SYNC =
  'openSync lstatSync statSync existsSync mkdirSync rmdirSync rmSync readdirSync readlinkSync realpathSync readFileSync writeFileSync'
const ASYNC = 'open lstat stat access mkdir rmdir rm readdir rename readFile writeFile copyFile unlink'

/**
 * Runs `work`, and `before` in front of its first step, its second, and so on; how many there were. A step is a call of
 * Node's functions with a path below `dir`, or one that goes through an open directory.
 */
export async function stepByStep(
  dir: string,
  work: () => Promise<unknown>,
  before: (step: number) => void,
): Promise<number> {
  let steps = 0
  let isOwn = false
  const isStep = (path: unknown): boolean =>
    typeof path === 'string' && (path.startsWith(dir) || path.startsWith('/proc/self/fd/'))
  const watched = (call: Call): Call =>
    function (this: unknown, ...given) {
      if (!isOwn && isStep(given[0])) {
        isOwn = true
        before(steps++)
        isOwn = false
      }
      return call.apply(this, given)
    }
  const restore = [patch(fs, SYNC, watched), patch(fs.promises, ASYNC, watched)]
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    for (const one of restore) one()
    syncBuiltinESMExports()
  }
  return steps
}

function patch(of: object, names: string, change: (call: Call) => Call): () => void {
  const target = of as Record<string, Call>
  const before = names.split(' ').map(name => [name, target[name]] as const)
  for (const [name, call] of before) if (call) target[name] = Object.assign(change(call), call)
  return () => {
    for (const [name, call] of before) if (call) target[name] = call
  }
}
