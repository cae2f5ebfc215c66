/** The demo model's simplified Chinese phrases. */
import type { Intent } from '../understand/intent.ts'
import type { Phrases } from './phrase-book.ts'
import { SHOW_CHINESE } from './show-phrases-zh.ts'

const bullets = (items: readonly string[]): string => items.map(item => `- ${item}`).join('\n')
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

export const CHINESE: Phrases = {
  greeting:
    '你好！我是演示模型：离线、结果固定、不需要密钥。可以让我列出文件、读取文件、搜索内容或运行命令；输入 `/help` 查看更多。',
  fallback: text =>
    `我是演示模型，只听得懂简单的请求，所以回答不了「${text}」。可以试试「看看当前目录下有什么文件」「读取 README.md」「搜索 TODO」，或输入 \`/help\`。需要处理开放式的问题时，请连接真正的模型：设置 → 模型提供商，或设置 \`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\` 后重新启动。`,
  intro,
  severalIntro: count => `我来同时处理这 ${count} 件事。`,
  nextStep: '接着做下一步。',
  noTool: intent => `这里没有可用的工具来${subject(intent)}。`,
  forcedIntro: name => `按要求调用 ${name}。`,
  mayNotCall: '这次请求不允许调用工具，我只能说明打算怎么做：',
  thinking: (text, calls) =>
    calls.length === 0
      ? `用户说「${text}」。这不需要工具，直接回答即可。`
      : `用户说「${text}」。需要用到 ${calls.join('、')}。参数都齐了，现在调用，再根据结果回答。`,
  listing: (names, path) =>
    `${path === undefined ? '当前目录下' : `${path} 中`}有以下文件：\n${bullets(names)}`,
  emptyListing: '目录是空的。',
  more: count => `……还有 ${count} 个`,
  file: (path, lines, excerpt) => `${path} 共 ${lines} 行，开头是：\n\n${fenced(excerpt)}`,
  emptyFile: path => `${path} 是空文件。`,
  matches: (pattern, lines, total) => `找到 ${total} 行包含「${pattern}」：\n${bullets(lines)}`,
  noMatches: pattern => `没有找到与「${pattern}」匹配的内容。`,
  found: (pattern, names) => `与 ${pattern} 匹配的文件：\n${bullets(names)}`,
  ran: (command, output) =>
    output === '' ? `\`${command}\` 执行成功，没有输出。` : `\`${command}\` 的输出：\n\n${fenced(output)}`,
  wrote: path => `已写入 ${path}。`,
  edited: (path, from, to) => `已把 ${path} 中的「${from}」替换为「${to}」。`,
  time: output => `现在是 ${output}。`,
  told: (name, output) => `${name} 的结果：${output}`,
  remembered: note => `已记住：${note}`,
  failed: (name, message) => `${name} 失败了：${message}\n\n我会先检查参数再重试；如果有别的办法，请告诉我。`,
  exitCode: (command, code, message) =>
    `\`${command}\` 以退出码 ${code} 结束：\n\n${fenced(message)}\n需要先解决原因再重新运行。`,
  missingFile: (path, candidates) =>
    candidates.length === 0
      ? `${path} 不存在，也没有找到名字相近的文件。`
      : `${path} 不存在。是不是下面的某一个？\n${bullets(candidates)}`,
  amended: reason => `你说：${reason}。那就这样改：`,
  denied: (name, reason) => `好的，我不会执行 ${name}。给出的原因是：${reason}\n\n请告诉我接下来怎么做。`,
  tooManyRounds: rounds => `工具已经调用了 ${rounds} 轮，先停在这里，目前的结果如下。`,
  show: SHOW_CHINESE,
}

function intro(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return intent.path === undefined
        ? '我来帮你查看当前目录的内容。'
        : `我来帮你查看 ${intent.path} 的内容。`
    case 'read':
      return `我来读取 ${intent.path}。`
    case 'search':
      return `我来搜索「${intent.pattern}」。`
    case 'find':
      return `我来查找与 ${intent.pattern} 匹配的文件。`
    case 'run':
      return `我来运行 \`${intent.command}\`。`
    case 'write':
      return `我来写入 ${intent.path}。`
    case 'edit':
      return `我先读取 ${intent.path}，再修改它。`
    case 'time':
      return '我来看一下时间。'
    case 'weather':
      return intent.place === '' ? '我来查询天气。' : `我来查询${intent.place}的天气。`
    case 'web':
      return '我需要使用搜索工具来查询。'
    case 'fetch':
      return `我来打开 ${intent.url}。`
    case 'remember':
      return '我来记下这件事。'
    case 'recall':
      return '我来看看记下了什么。'
    case 'agent':
      return '我把这件事交给子代理。'
    case 'tool':
      return `我来调用 ${intent.name}。`
  }
}

function subject(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return '列出文件'
    case 'read':
      return `读取 ${intent.path}`
    case 'search':
      return '搜索文件内容'
    case 'find':
      return '查找文件'
    case 'run':
      return '运行命令'
    case 'write':
    case 'edit':
      return `修改 ${intent.path}`
    case 'time':
      return '查看时间'
    case 'weather':
      return '查询天气'
    case 'web':
    case 'fetch':
      return '访问网络'
    case 'remember':
    case 'recall':
      return '记事'
    case 'agent':
      return '启动子代理'
    case 'tool':
      return `调用 ${intent.name}`
  }
}
