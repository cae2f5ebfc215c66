/** Arguments that keep ripgrep out of directories below the one it searches. */
import { relative } from 'node:path'
import { isInside } from '../files/resolve-path.ts'

/** Nothing for directories that are not below `root`. `cwd` is where ripgrep runs: the root, or around it. All absolute. Pure. */
export const excludeHidden = (hidden: readonly string[], root: string, cwd = root): readonly string[] =>
  hidden
    .filter(dir => dir !== root && isInside(dir, root))
    .flatMap(dir => ['--glob', `!/${relative(cwd, dir).replaceAll(/[*?[\]{}\\!]/g, '\\$&')}/**`])
