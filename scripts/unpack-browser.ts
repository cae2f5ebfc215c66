/** Runs once before all browser tests: two workers that unpack Chromium at the same time find its file busy. */
import chromium from '@sparticuz/chromium'

export async function setup(): Promise<void> {
  if (process.env['CHROME_PATH'] === undefined) await chromium.executablePath()
}
