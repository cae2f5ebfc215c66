/** A moment for people: the hour when it is today, and the day with it otherwise. */
export function formatMoment(iso: string, locale: string): string {
  const moment = new Date(iso)
  const isToday = moment.toDateString() === new Date().toDateString()
  return moment.toLocaleString(locale, { timeStyle: 'short', ...(isToday ? {} : { dateStyle: 'medium' }) })
}
