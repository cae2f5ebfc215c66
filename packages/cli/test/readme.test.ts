/** The README's requests, verbatim, against the running product. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

const wanted = [
  /"type":"done"/,
  /event: conversation\.paused/,
  /"object":"chat\.completion"/,
  /"type":"message"/,
  /"object":"response"/,
]

function examplesOf(file: string): readonly string[] {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(/```bash\n([\s\S]*?)```/g)]
    .map(match => match[1] ?? '')
    .filter(code => code.includes('curl'))
}

test.each(['README.md', 'README.zh-CN.md'])('every example of %s gives what it promises', async file => {
  const examples = examplesOf(file)
  expect(examples).toHaveLength(wanted.length)
  await inFolder(async dir => {
    const server = await launch(dir)
    try {
      for (const [i, code] of examples.entries()) {
        const script = code.replaceAll('http://127.0.0.1:8000', server.url)
        const out = execFileSync('bash', ['-c', script], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        expect(out, code).toMatch(wanted[i] ?? /./)
      }
    } finally {
      await server.stop()
    }
  })
})
