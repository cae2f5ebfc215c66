/** A list of sessions in groups, as people look for them. */

export type SessionAge = 'today' | 'week' | 'older'

/** Groups in order, sessions in theirs; empty groups are left out. Days are those of the reader. */
export function sessionsByAge<T extends { readonly updated_at: string }>(
  sessions: readonly T[],
  now: number,
): readonly (readonly [SessionAge, readonly T[]])[] {
  const today = new Date(now).setHours(0, 0, 0, 0)
  const groups = Object.groupBy(sessions, (session): SessionAge => {
    const at = Date.parse(session.updated_at)
    if (at >= today) return 'today'
    return at >= today - 7 * 86_400_000 ? 'week' : 'older'
  })
  return (['today', 'week', 'older'] as const).flatMap(age => {
    const found = groups[age]
    return found ? [[age, found] as const] : []
  })
}
