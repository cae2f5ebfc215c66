/** A moment as people write it here: the time today, the day before that. */
export function formatDate(moment: string, locale: string): string {
  const date = new Date(moment)
  const today = date.toDateString() === new Date().toDateString()
  // The language is the app's, the country the browser's.
  const here = navigator.languages.find(tag => tag.startsWith(`${locale}-`)) ?? locale
  return new Intl.DateTimeFormat(here, today ? { timeStyle: 'short' } : { dateStyle: 'medium' }).format(date)
}
