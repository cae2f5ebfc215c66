/** Waits until the screen is drawn, scrolls on by half of it, and says whether there is more below. */
export const nextScreen = async (box: Element): Promise<boolean> => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)))
  await drawn()
  box.scrollBy(0, box.clientHeight / 2)
  await drawn()
  return box.scrollHeight - box.scrollTop - box.clientHeight > 2
}
