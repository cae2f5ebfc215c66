/** Arguments that keep ripgrep out of directories below the one it searches. */
import { relative } from 'node:path'
import { isInside } from '../files/resolve-path.ts'

/** Nothing for directories that are not below `root`, where ripgrep runs. All absolute. Pure. */
export const excludeHidden = (hidden: readonly string[], root: string): readonly string[] =>
  hidden
    .filter(dir => dir !== root && isInside(dir, root))
    .flatMap(dir => ['--glob', `!/${relative(root, dir).replaceAll(/[*?[\]{}\\!]/g, '\\$&')}/**`])
