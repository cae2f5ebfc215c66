/** Which of its two languages the demo model answers in. */
export type Language = 'en' | 'zh'

/** Chinese as soon as the text has Chinese characters outside quotes and code; English otherwise. */
export function detectLanguage(text: string): Language {
  const unquoted = text.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, '')
  return /\p{Script=Han}/u.test(unquoted.trim() === '' ? text : unquoted) ? 'zh' : 'en'
}
