/** What people stick on a session to find it again, or to put it away: kept as labels, so that lists can ask for it. */

export const ARCHIVED = 'archived'
/** Before every tag. */
export const TAG = 'tag:'

type Labels = Readonly<Record<string, string>>

interface Marks {
  readonly tags?: readonly string[]
  readonly archived?: boolean
}

/** What a row's labels say; a mark that is not there is absent. */
export function readTags(labels: Labels): Marks {
  const tags = Object.keys(labels)
    .filter(name => name.startsWith(TAG))
    .map(name => name.slice(TAG.length))
    .sort()
  return {
    ...(tags.length > 0 ? { tags } : {}),
    ...(labels[ARCHIVED] === undefined ? {} : { archived: true }),
  }
}

/** The labels to write for a change; null takes one away. Tags that are given replace those that are there. */
export function markLabels(
  before: Labels,
  {
    tags,
    archived,
  }: { readonly tags?: readonly string[] | undefined; readonly archived?: boolean | undefined },
): Readonly<Record<string, string | null>> {
  const gone = tags === undefined ? [] : Object.keys(before).filter(name => name.startsWith(TAG))
  return {
    ...Object.fromEntries(gone.map(name => [name, null])),
    ...Object.fromEntries((tags ?? []).map(tag => [TAG + tag, '1'])),
    ...(archived === undefined ? {} : { [ARCHIVED]: archived ? '1' : null }),
  }
}
