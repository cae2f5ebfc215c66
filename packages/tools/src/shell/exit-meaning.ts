/** Exit codes that are answers, not errors. */

const MEANINGS: readonly (readonly [RegExp, number, string])[] = [
  [/^(grep|egrep|fgrep|rg|ag|zgrep|pgrep)$/, 1, 'No matches found'],
  [/^(diff|cmp)$/, 1, 'Files differ'],
  [/^(test|\[)$/, 1, 'Condition is false'],
  [/^find$/, 1, 'Some directories were not accessible'],
  [/^git-diff$/, 1, 'There are differences'],
  [/^git-grep$/, 1, 'No matches found'],
  [/^(which|type|command)$/, 1, 'Not found'],
]

/** The meaning of a non-zero code that is no error; judged by the last command of the line. */
export function exitMeaning(command: string, code: number): string | undefined {
  const last =
    command
      .split(/\n|;|&&|\|\|?/)
      .at(-1)
      ?.trim() ?? ''
  const words = last.split(/\s+/)
  const program = words[0] === 'git' ? `git-${words[1]}` : words[0]
  return MEANINGS.find(([name, wanted]) => wanted === code && name.test(program ?? ''))?.[2]
}

const SILENT =
  /^(cd|mkdir|rmdir|touch|rm|mv|cp|ln|chmod|chown|chgrp|export|unset|alias|true|:|sleep|kill|pushd|popd|install|truncate|set|shopt|source|\.)$/

/** Every command of the line is one that says nothing when it works. */
export const isSilent = (command: string): boolean =>
  command
    .split(/\n|;|&&|\|\||&/)
    .map(part => part.trim())
    .filter(part => part !== '')
    .every(part => !part.includes('|') && isSilentPart(part))

const isSilentPart = (part: string): boolean =>
  SILENT.test(part.split(/\s+/)[0] ?? '') || /^\w+=\S*$/.test(part) || /(^|[^\d&<>])>>?\s*[^\s&>]/.test(part)
