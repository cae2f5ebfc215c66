/** Tags of a session, for finding or archiving it: stored as labels, so that lists can filter by them. */

export const ARCHIVED = 'archived'
/** Before every tag. */
export const TAG = 'tag:'

type Labels = Readonly<Record<string, string>>

interface Marks {
  readonly tags?: readonly string[]
  readonly archived?: boolean
}

/** The tags of a row's labels; a missing tag is absent. */
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
