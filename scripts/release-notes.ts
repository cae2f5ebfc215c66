/** The part of CHANGELOG.md that belongs to a version. Pure. */

/** The text below `## <version>`, or below `## Unreleased`. Throws without a text: a release says what changes. */
export function notesOf(changelog: string, version: string): string {
  for (const title of [version, 'Unreleased']) {
    const [, after] = changelog.split(`\n## ${title}\n`)
    const text = after?.split(/^## /m)[0]?.trim()
    if (text) return text
  }
  throw new Error(`CHANGELOG.md says nothing about ${version}.`)
}
