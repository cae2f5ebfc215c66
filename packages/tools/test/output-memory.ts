/**
 * Run by a test in a separate process: a command writes a hundred megabytes, and the memory held meanwhile is
 * measured after a collection each time. Prints one line of JSON.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startShell } from '../src/shell/run-shell.ts'

const MEGABYTES = 100
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {})

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-output-'))
  const start = async (command: string, name: string) =>
    await startShell({
      command,
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '' },
      artifact: join(dir, name),
      token: name,
      inline: 30_000,
    })
  // Once before, so that what is loaded and compiled only once does not count.
  const warm = await start('yes warm | head -c 2000000', 'warm.log')
  await warm.exit
  await warm.sink.close()
  const held = (): number => {
    // The second one finishes what the first one only marks as free.
    collect()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  // A first collection leaves things that a second one finds.
  for (let i = 0; i < 5; i++) {
    held()
    await delay(20)
  }
  const before = held()
  let peak = 0
  const shell = await start(`yes abcdefg | head -c ${MEGABYTES * 1024 * 1024}`, 'out.log')
  const timer = setInterval(() => {
    shell.sink.news(30_000)
    peak = Math.max(peak, held() - before)
  }, 100)
  await shell.exit
  clearInterval(timer)
  peak = Math.max(peak, held() - before)
  await shell.sink.close()
  const { bytes, text } = shell.sink.collected()
  const result = { bytes, stored: statSync(join(dir, 'out.log')).size, inline: text.length, peak }
  rmSync(dir, { recursive: true, force: true })
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

await main()
