/**
 * The list with its item at `at` moved to `position`, counted among the movable items alone; the others stay where
 * they are. A position behind the end is the end; without one nothing moves.
 */
export function moveItem<T>(
  list: readonly T[],
  at: number,
  position: number | undefined,
  isMovable: (item: T) => boolean,
): readonly T[] {
  const item = list[at]
  if (position === undefined || item === undefined) return list
  const others = list.filter((one, index) => index !== at && isMovable(one))
  const moved = others.toSpliced(Math.max(position, 0), 0, item)
  let next = 0
  return list.map((one, index) => (index === at || isMovable(one) ? (moved[next++] ?? one) : one))
}
