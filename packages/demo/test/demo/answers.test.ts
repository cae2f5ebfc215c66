import { describe, expect, it } from 'vitest'
import { type Answerer, ask, BUILTIN, CLIENT, callsOf, converse, named } from './demo-harness.ts'

const LISTING = `total 48
drwxr-xr-x  10 user  staff   320 Oct 24 16:00 .
drwxr-xr-x   5 user  staff   160 Oct 24 15:00 ..
-rw-r--r--   1 user  staff  1024 Oct 24 16:00 file.txt`

const names = (rounds: { calls: readonly { name: string }[] }[]) =>
  rounds.map(round => round.calls.map(call => call.name))

describe('demo model answers from results', () => {
  it('a listing, in Chinese', async () => {
    const { last } = await converse(ask('帮我看看当前目录下有什么文件'), () => LISTING)
    expect(last.text).toBe('当前目录下有以下文件：\n- file.txt')
  })

  it('a listing with folders, in English', async () => {
    const output = `${LISTING}\ndrwxr-xr-x 2 root root 4096 2025-10-24 16:00 src dir`
    expect((await converse(ask('list the files'), () => output)).last.text).toBe(
      'The current directory contains:\n- file.txt\n- src dir/',
    )
  })

  it('an LS tree', async () => {
    const { last } = await converse(
      ask('list the files', { tools: named('LS') }),
      () => '- /project/\n  - a.ts\n  - lib/\n',
    )
    expect(last.text).toContain('- a.ts\n- lib/')
  })

  it('a file, by its first lines', async () => {
    const { last } = await converse(ask('read README.md'), () => '     1\t# Title\n     2\t\n     3\tWords.')
    expect(last.text).toBe('README.md has 3 lines. It begins:\n\n```\n# Title\n\nWords.\n```')
  })

  it('several results, one paragraph each', async () => {
    const answer: Answerer = name => (name === 'Bash' ? LISTING : '1\t# Title')
    const { rounds, last } = await converse(ask('list the files and read README.md'), answer)
    expect(names(rounds)).toEqual([['Bash', 'Read'], []])
    expect(last.text).toContain('- file.txt')
    expect(last.text).toContain('# Title')
  })

  it('JSON of a client tool, as fields', async () => {
    const { last } = await converse(
      ask('沈阳天气', { tools: CLIENT }),
      () => '{"temperature": 25, "weather": "晴天"}',
    )
    expect(last.text).toBe('get_weather 的结果：temperature: 25, weather: 晴天')
  })

  it('results that a host sends back as user text', async () => {
    const { last } = await converse(
      ask('### tavily_search工具的执行结果 ###\n沈阳今日天气晴朗，气温20-25度\n\n', { tools: [] }),
      () => '',
    )
    expect(last.text).toBe('tavily_search 的结果：沈阳今日天气晴朗，气温20-25度')
  })

  it('searches that find nothing', async () => {
    expect((await converse(ask('search for TODO'), () => 'No matches found')).last.text).toBe(
      'Nothing matches “TODO”.',
    )
  })
})

describe('demo model continues', () => {
  it('reads before it edits', async () => {
    const { rounds, last } = await converse(ask('replace foo with bar in a.ts'), () => 'ok')
    expect(names(rounds)).toEqual([['Read'], ['Edit'], []])
    expect(callsOf(rounds[1] ?? last)).toEqual([
      ['Edit', { file_path: 'a.ts', old_string: 'foo', new_string: 'bar' }],
    ])
    expect(last.text).toContain('a.ts')
  })

  it('waits for the first step of "then"', async () => {
    const { rounds } = await converse(ask('write hello to a.txt then read a.txt'), () => 'ok')
    expect(names(rounds)).toEqual([['Write'], ['Read'], []])
  })

  it('makes all calls one after another when parallel calls are off', async () => {
    const request = ask('list the files and read README.md', { parallel_tool_calls: false })
    expect(names((await converse(request, () => 'x')).rounds)).toEqual([['Bash'], ['Read'], []])
  })

  it('looks for a file that is not there, once', async () => {
    const answer: Answerer = name =>
      name === 'Read' ? { error: 'File does not exist.' } : '/w/docs/README.md\n/w/lib/README.txt'
    const { rounds, last } = await converse(ask('read README.md'), answer)
    expect(names(rounds)).toEqual([['Read'], ['Glob'], []])
    expect(last.text).toContain('does not exist')
    expect(last.text).toContain('docs/README.md')
  })

  it('reads the one file that can be meant when a name is almost right', async () => {
    const answer: Answerer = (name, input) => {
      if (name === 'Glob') return '/w/README.md'
      return JSON.stringify(input).includes('/w/README.md')
        ? '     1\t# Hello'
        : { error: 'File does not exist.' }
    }
    const { rounds, last } = await converse(ask('read the file README'), answer)
    expect(names(rounds)).toEqual([['Read'], ['Glob'], ['Read'], []])
    expect(last.text).toContain('README.md')
    expect(last.text).toContain('# Hello')
  })

  it('reads a file that refuses a blind write, then writes again', async () => {
    const answer: Answerer = (name, _input, _nth) =>
      name === 'Write' && writes++ === 0
        ? { error: 'File has not been read yet. Read it first before writing to it.' }
        : 'ok'
    let writes = 0
    const { rounds, last } = await converse(ask('write hello to a.txt'), answer)
    expect(names(rounds)).toEqual([['Write'], ['Read'], ['Write'], []])
    expect(last.text).toBe('I wrote a.txt.')
  })

  it('accepts a denial and repeats its reason', async () => {
    const { rounds, last } = await converse(ask('write hello to a.txt'), () => ({
      error: 'Denied by the user: use b.txt instead',
    }))
    expect(names(rounds)).toEqual([['Write'], []])
    expect(last.text).toContain('use b.txt instead')
    expect(last.text).toContain('I will not run Write')
  })

  it('understands a denial in the words of the tool system', async () => {
    const { last } = await converse(ask('write hello to a.txt'), () => ({
      error: 'The user did not allow this call; nothing was executed. They said: use b.txt instead',
    }))
    expect(last.text).toContain('I will not run Write. The reason given: use b.txt instead')
  })

  it.each([
    ['replace TODO with DONE in a.ts', 'use "FIX ME" instead', 'FIX ME', 'You said: use "FIX ME" instead'],
    ['replace TODO with DONE in a.ts', 'use FIXME, please', 'FIXME', 'You said'],
    ['把 a.ts 里的 TODO 换成 DONE', '请改成 FIXME', 'FIXME', '你说：请改成 FIXME'],
  ])('%s, denied with %s, is asked for again that way', async (text, reason, to, words) => {
    const { rounds, last } = await converse(ask(text), (name, input) => {
      if (name !== 'Edit') return 'TODO'
      const isFirst = JSON.stringify(input).includes('DONE')
      return isFirst ? { error: `The user did not allow this call. They said: ${reason}` } : 'ok'
    })
    expect(names(rounds)).toEqual([['Read'], ['Edit'], ['Edit'], []])
    expect(rounds[2]?.text).toContain(words)
    expect(JSON.parse(rounds[2]?.calls[0]?.input_text ?? '')).toMatchObject({
      old_string: 'TODO',
      new_string: to,
    })
    expect(last.text).toContain(to)
  })

  it('asks once more and no further, and not at all for a reason that wishes for nothing', async () => {
    const denied = (reason: string) => ({ error: `The user did not allow this call. They said: ${reason}` })
    const request = 'replace TODO with DONE in a.ts'
    const often = await converse(ask(request), name => (name === 'Edit' ? denied('use FIXME') : 'TODO'))
    expect(names(often.rounds)).toEqual([['Read'], ['Edit'], ['Edit'], []])
    expect(often.last.text).toContain('I will not run Edit')
    for (const reason of ['not now', 'use DONE']) {
      const plain = await converse(ask(request), name => (name === 'Edit' ? denied(reason) : 'TODO'))
      expect(names(plain.rounds), reason).toEqual([['Read'], ['Edit'], []])
    }
  })

  it('names the exit code of a command that failed', async () => {
    const { last } = await converse(ask('run `npm test`'), () => ({ error: 'Exit code 3\nboom' }))
    expect(last.text).toContain('exit code 3')
    expect(last.text).toContain('boom')
  })

  it('takes a call whose input was edited for the one it made', async () => {
    const request = ask('write hello to a.txt')
    const { rounds } = await converse(request, () => 'ok')
    const edited = structuredClone(request)
    const messages = [
      ...edited.messages,
      {
        role: 'assistant',
        message_id: 'm',
        provider: 'demo',
        model: 'demo',
        content: [
          {
            type: 'tool_use',
            call_id: 'c',
            name: 'Write',
            input_text: '{"file_path":"b.txt","content":"hello"}',
          },
        ],
      },
      {
        role: 'tool',
        results: [
          {
            type: 'tool_result',
            call_id: 'c',
            name: 'Write',
            output_text: 'ok',
            content: [],
            is_error: false,
          },
        ],
      },
    ] as const
    expect(rounds).toHaveLength(2)
    expect((await converse({ ...edited, messages: [...messages] }, () => 'ok')).rounds).toHaveLength(1)
  })

  it.each(['tool', 'any'] as const)('does not call for ever when tool_choice is %s', async type => {
    const tool_choice = type === 'tool' ? { type, name: 'Bash' } : { type }
    const { rounds } = await converse(ask('hello', { tool_choice }), () => ({ error: 'no' }))
    expect(rounds).toHaveLength(2)
  })

  it('stops after six rounds', async () => {
    const said = Array.from({ length: 9 }, (_, nth) => `run \`echo ${nth}\``).join(' then ')
    const { rounds, last } = await converse(ask(said, { tools: BUILTIN }), () => 'x')
    expect(rounds).toHaveLength(7)
    expect(last.text).toContain('6 rounds')
  })
})
