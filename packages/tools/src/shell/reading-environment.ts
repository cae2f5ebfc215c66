/**
 * The environment of a line that runs because it is read-only: programs that would do more at the project's
 * request are configured not to. A line that the user allowed gets none of this.
 */
import { gitEnvironment, searchPathOutside } from '../git/git-environment.ts'

const PINNED: Readonly<Record<string, string>> = {
  // Otherwise each would fetch the version of itself that the project names.
  GOTOOLCHAIN: 'local',
  COREPACK_ENABLE_NETWORK: '0',
  COREPACK_ENABLE_PROJECT_SPEC: '0',
}

/** Programs of directories for which `isInside` holds are not found. Pure but for it. */
export function readingEnvironment(
  env: Readonly<Record<string, string>>,
  isInside: (dir: string) => boolean = () => false,
): Record<string, string> {
  // By them the shell could take its directory for a link, whose `..` is another one.
  const { PWD: _, OLDPWD: __, PATH, ...rest } = env
  return {
    ...gitEnvironment(rest),
    ...PINNED,
    ...(PATH === undefined ? {} : { PATH: searchPathOutside(PATH, isInside) }),
  }
}
