/** The demo model's traditional Chinese phrases. */
import type { Intent } from '../understand/intent.ts'
import type { Phrases } from './phrase-book.ts'
import { SHOW_TRADITIONAL } from './show-phrases-zh-hant.ts'

const bullets = (items: readonly string[]): string => items.map(item => `- ${item}`).join('\n')
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

export const TRADITIONAL: Phrases = {
  greeting:
    '你好！我是示範模型：離線、結果固定、不需要金鑰。可以讓我列出檔案、讀取檔案、搜尋內容或執行指令；輸入 `/help` 檢視更多。',
  fallback: text =>
    `我是示範模型，只聽得懂簡單的請求，所以回答不了「${text}」。可以試試「看看目前目錄下有哪些檔案」「讀取 README.md」「搜尋 TODO」，或輸入 \`/help\`。需要處理開放式的問題時，請連接真正的模型：設定 → 模型供應商，或設定 \`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\` 後重新啟動。`,
  intro,
  severalIntro: count => `我來同時處理這 ${count} 件事。`,
  nextStep: '接著做下一步。',
  noTool: intent => `這裡沒有可用的工具來${subject(intent)}。`,
  forcedIntro: name => `按要求呼叫 ${name}。`,
  mayNotCall: '這次請求不允許呼叫工具，我只能說明打算怎麼做：',
  thinking: (text, calls) =>
    calls.length === 0
      ? `使用者說「${text}」。這不需要工具，直接回答即可。`
      : `使用者說「${text}」。需要用到 ${calls.join('、')}。參數都齊了，現在呼叫，再根據結果回答。`,
  listing: (names, path) =>
    `${path === undefined ? '目前目錄下' : `${path} 中`}有以下檔案：\n${bullets(names)}`,
  emptyListing: '目錄是空的。',
  more: count => `……還有 ${count} 個`,
  file: (path, lines, excerpt) => `${path} 共 ${lines} 行，開頭是：\n\n${fenced(excerpt)}`,
  emptyFile: path => `${path} 是空檔案。`,
  matches: (pattern, lines, total) => `找到 ${total} 行包含「${pattern}」：\n${bullets(lines)}`,
  noMatches: pattern => `沒有找到與「${pattern}」符合的內容。`,
  found: (pattern, names) => `與 ${pattern} 符合的檔案：\n${bullets(names)}`,
  ran: (command, output) =>
    output === '' ? `\`${command}\` 執行成功，沒有輸出。` : `\`${command}\` 的輸出：\n\n${fenced(output)}`,
  wrote: path => `已寫入 ${path}。`,
  edited: (path, from, to) => `已把 ${path} 中的「${from}」替換為「${to}」。`,
  time: output => `現在是 ${output}。`,
  told: (name, output) => `${name} 的結果：${output}`,
  remembered: note => `已記住：${note}`,
  failed: (name, message) => `${name} 失敗了：${message}\n\n我會先檢查參數再重試；如果有別的辦法，請告訴我。`,
  exitCode: (command, code, message) =>
    `\`${command}\` 以結束代碼 ${code} 結束：\n\n${fenced(message)}\n需要先解決原因再重新執行。`,
  missingFile: (path, candidates) =>
    candidates.length === 0
      ? `${path} 不存在，也沒有找到名字相近的檔案。`
      : `${path} 不存在。是不是下面的某一個？\n${bullets(candidates)}`,
  amended: reason => `你說：${reason}。那就這樣改：`,
  denied: (name, reason) => `好的，我不會執行 ${name}。給出的原因是：${reason}\n\n請告訴我接下來怎麼做。`,
  tooManyRounds: rounds => `工具已經呼叫了 ${rounds} 輪，先停在這裡，目前的結果如下。`,
  show: SHOW_TRADITIONAL,
}

function intro(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return intent.path === undefined
        ? '我來幫你檢視目前目錄的內容。'
        : `我來幫你檢視 ${intent.path} 的內容。`
    case 'read':
      return `我來讀取 ${intent.path}。`
    case 'search':
      return `我來搜尋「${intent.pattern}」。`
    case 'find':
      return `我來尋找與 ${intent.pattern} 符合的檔案。`
    case 'run':
      return `我來執行 \`${intent.command}\`。`
    case 'write':
      return `我來寫入 ${intent.path}。`
    case 'edit':
      return `我先讀取 ${intent.path}，再修改它。`
    case 'time':
      return '我來看一下時間。'
    case 'weather':
      return intent.place === '' ? '我來查詢天氣。' : `我來查詢${intent.place}的天氣。`
    case 'web':
      return '我需要使用搜尋工具來查詢。'
    case 'fetch':
      return `我來開啟 ${intent.url}。`
    case 'remember':
      return '我來記下這件事。'
    case 'recall':
      return '我來看看記下了什麼。'
    case 'agent':
      return '我把這件事交給子代理程式。'
    case 'tool':
      return `我來呼叫 ${intent.name}。`
  }
}

function subject(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return '列出檔案'
    case 'read':
      return `讀取 ${intent.path}`
    case 'search':
      return '搜尋檔案內容'
    case 'find':
      return '尋找檔案'
    case 'run':
      return '執行指令'
    case 'write':
    case 'edit':
      return `修改 ${intent.path}`
    case 'time':
      return '檢視時間'
    case 'weather':
      return '查詢天氣'
    case 'web':
    case 'fetch':
      return '存取網路'
    case 'remember':
    case 'recall':
      return '記事'
    case 'agent':
      return '啟動子代理程式'
    case 'tool':
      return `呼叫 ${intent.name}`
  }
}
