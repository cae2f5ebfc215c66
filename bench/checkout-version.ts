/** The measured version of the product: the commit of this checkout, and any changes since. */
import { spawnSync } from 'node:child_process'
import { ROOT } from '../scripts/root.ts'

/** The page that the benchmark itself writes is no change of the product. */
const OTHER_THAN_THE_PAGE = ['--', '.', ':!docs/performance-results.md']

/** `8088259`, or `8088259 + changes`; `this checkout` without git. */
export function checkoutVersion(root: string = ROOT): string {
  const git = (...args: readonly string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  const commit = git('rev-parse', '--short', 'HEAD')
  if (!commit) return 'this checkout'
  return git('status', '--porcelain', ...OTHER_THAN_THE_PAGE) === '' ? commit : `${commit} + changes`
}
