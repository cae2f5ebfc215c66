/** Looking at the processes of this machine, for tests of what commands leave behind. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Processes whose command line holds this text; zombies are excluded. */
export function running(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) &&
          !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
        )
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Waits for as long as it takes: the timeout of the test catches what never comes true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10)
}

/** A number that no other process has on its command line. */
export const unique = (): string => String(100_000 + Math.floor(Math.random() * 800_000))
