/** Texts of the slash commands in Chinese. */
import type { ShowPhrases } from './phrase-book.ts'

export const SHOW_CHINESE: ShowPhrases = {
  helpHead: '每个命令演示一种情况：',
  unknownCommand: name => `没有 ${name} 这个命令。`,
  needsTool: '这需要一个工具，但请求里没有合适的。',
  needsClientTool: '这需要页面自己提供的工具，但请求里没有。',
  before: {
    parallel: '一条消息里有多个调用：',
    big: '接下来的调用参数很大。',
    error: '这个调用会失败。',
    badjson: '这个调用的参数不是 JSON。',
    maxtokens: '输出上限会把这个调用截断。',
    unknown: '这个工具并不存在。',
    invalid: '这个调用的参数不符合约定。',
    ask: '这个调用会改动东西，应当先征得你的同意。',
    client: '这个工具在你那边执行。',
  },
  think: {
    thinking:
      '问题是怎样展示思考过程。先说明要求：让思考可见。再看已知的：思考在回答之前，单独成块，并带有必须原样送回的签名。有这些就可以回答了。',
    answer: '我先想了想：上面的块是思考过程，并带有签名。',
  },
  refuse: '这个我不能帮忙。',
  slow: ['这个回答', '会慢慢', '出现，', '方便你', '看着它变长、', '刷新页面，', '或者取消它。'],
  longSentences: [
    '会话中的每个事件都先写下来，再给人看。',
    '后来的读者会按同样的顺序看到同样的事件。',
    '暂停不占用内存，所以可以持续几个月。',
    '对问题的回答只是又一个事件。',
    '工具只运行一次，结果会保留下来。',
    '说出的话收不回来，但可以重新读一遍。',
  ],
  markdown: `# Markdown 示例

一段文字，有**粗体**、*斜体*、\`代码\`和[链接](https://example.com)。

1. 第一
2. 第二
   - 嵌套
   - nested item

| 名称 | 大小 | 备注 |
|---|---:|---|
| file.txt | 1024 | 纯文本 |
| 说明.md | 2048 | 中文，全角标点 |

\`\`\`ts
const greet = (name: string) => \`你好, \${name}! 👋\`
\`\`\`

> 引用，以及公式：a² + b² = c²

- [x] 完成
- [ ] 待办`,
  unknownScenario: (name, known) => `没有名为「${name}」的场景。可用的有：${known.join('、')}。`,
  scenarioOff: '已回到普通模式。',
}
