/** Writes one key in place of the other until it is killed, and a letter for every time that it is done. */
import { writeKeyFile } from '../src/provider-keys/key-file.ts'

const [, , data = ''] = process.argv
for (let n = 0; ; n++) {
  const key = (n % 2 === 0 ? 'a' : 'b').repeat(100_000)
  await writeKeyFile(data, { openai: { key, is_near: true } })
  process.stdout.write('.')
}
