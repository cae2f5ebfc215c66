/** The item to reveal in a session that is still opening: a click on a notification. */
let wanted: string | undefined

export const setRevealTarget = (item: string): void => {
  wanted = item
}

/** True once for the item that is wanted. */
export function takeRevealTarget(item: string): boolean {
  if (item !== wanted) return false
  wanted = undefined
  return true
}
