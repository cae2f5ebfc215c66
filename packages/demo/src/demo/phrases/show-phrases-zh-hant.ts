/** Texts of the slash commands in traditional Chinese. */
import type { ShowPhrases } from './phrase-book.ts'

export const SHOW_TRADITIONAL: ShowPhrases = {
  helpHead: '每個指令示範一種情況：',
  unknownCommand: name => `沒有 ${name} 這個指令。`,
  needsTool: '這需要一個工具，但請求裡沒有合適的。',
  needsClientTool: '這需要頁面自己提供的工具，但請求裡沒有。',
  before: {
    parallel: '一條訊息裡有多個呼叫：',
    big: '接下來的呼叫參數很大。',
    error: '這個呼叫會失敗。',
    badjson: '這個呼叫的參數不是 JSON。',
    maxtokens: '輸出上限會把這個呼叫截斷。',
    unknown: '這個工具並不存在。',
    invalid: '這個呼叫的參數不符合約定。',
    ask: '這個呼叫會改動東西，應當先徵得你的同意。',
    client: '這個工具在你那邊執行。',
  },
  think: {
    thinking:
      '問題是怎樣展示思考過程。先說明要求：讓思考可見。再看已知的：思考在回答之前，單獨成塊，並帶有必須原樣送回的簽名。有這些就可以回答了。',
    answer: '我先想了想：上面的塊是思考過程，並帶有簽名。',
  },
  refuse: '這個我不能幫忙。',
  slow: ['這個回答', '會慢慢', '出現，', '方便你', '看著它變長、', '重新整理頁面，', '或者取消它。'],
  longSentences: [
    '對話中的每個事件都先寫下來，再給人看。',
    '後來的讀者會按同樣的順序看到同樣的事件。',
    '暫停不占用記憶體，所以可以持續幾個月。',
    '對問題的回答只是又一個事件。',
    '工具只執行一次，結果會保留下來。',
    '說出的話收不回來，但可以重新讀一遍。',
  ],
  markdown: `# Markdown 範例

一段文字，有**粗體**、*斜體*、\`程式碼\`和[連結](https://example.com)。

1. 第一
2. 第二
   - 巢狀
   - nested item

| 名稱 | 大小 | 備註 |
|---|---:|---|
| file.txt | 1024 | 純文字 |
| 說明.md | 2048 | 中文，全形標點 |

\`\`\`ts
const greet = (name: string) => \`你好, \${name}! 👋\`
\`\`\`

> 引用，以及公式：a² + b² = c²

- [x] 完成
- [ ] 待辦`,
  unknownScenario: (name, known) => `沒有名為「${name}」的場景。可用的有：${known.join('、')}。`,
  scenarioOff: '已回到普通模式。',
}
