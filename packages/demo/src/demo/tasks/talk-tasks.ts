/** Requests about the conversation itself: abilities, what was done, why something failed, another wording. */
import { DENIED } from '../answer/describe-outcome.ts'
import { isSchema } from '../input/json-schema.ts'
import { askedLanguage, type Language } from '../phrases/language.ts'
import { readListing } from '../understand/read-listing.ts'
import { changedFiles, type PastTurn, ranCommands } from './history.ts'
import { markdownToCsv } from './table.ts'
import { bullets, say, type Task, type TaskContext, type TaskRun, write } from './task.ts'

export const TALK_TASKS: readonly Task[] = [
  {
    pattern:
      /^(?:what can you do|what are you able to|how can you help|help me get started)\b|^\s*你(?:能|可以|会|會)(?:帮我|幫我)?(?:做|干|幹)(?:什么|什麼|啥)|^你是(?:谁|誰)|^who are you/iu,
    run: introduce,
  },
  {
    pattern:
      /\bwhat (?:did you|have you|has been) changed?\b|\bwhich files (?:did you|have you) change|(?:刚才|剛才|你)?(?:改|修改|更改|變更)了(?:哪些|什么|什麼)(?:文件|檔案)?/iu,
    run: listChanges,
  },
  { pattern: /^(?:please\s+)?undo\b|撤销|撤銷|復原(?!方)|还原刚才|還原剛才/iu, run: undo },
  { pattern: /\bcommit message\b|提交(?:说明|信息|訊息|說明)/iu, run: commitMessage },
  {
    pattern:
      /(?:解释|解釋|说明|說明).*(?:报错|錯誤|错误|報錯)|\bexplain (?:the|that|this) (?:error|failure)\b|\bwhy did (?:it|that) fail/iu,
    run: explainError,
  },
  { pattern: /为什么被?拒绝|為什麼被?拒絕|\bwhy was (?:it|that) denied/iu, run: explainDenial },
  {
    pattern:
      /^(?:用)?(?:两|兩|一|三)句(?:话|話)(?:总结|總結|概括)|\bsummari[sz]e (?:that|it|your answer)\b|\bin (?:one|two|three) sentences\b/iu,
    run: shorten,
  },
  {
    pattern:
      /换(?:个|一个)?说法|換(?:個|一個)?說法|短一[点點]|\b(?:shorter|rephrase|say (?:it|that) differently)\b/iu,
    run: shorten,
  },
  { pattern: /^(?:继续|繼續|continue|go ahead|keep going)[。.!！]?$/iu, run: proceed },
  { pattern: /(?:提醒我|remind me)/iu, run: remind },
  {
    pattern:
      /(?:花|用)了多少(?:钱|錢)|\b(?:what|how much) (?:did|has|does) (?:this|it|that).*cost|\bhow much (?:did|have) (?:i|we) spen[dt]/iu,
    run: cost,
  },
  {
    pattern:
      /(?:把)?(?:结果|結果)(?:存|保存|儲存|导出|匯出)(?:成|为|為|到)\s*csv|\bsave (?:the )?results? (?:as|to) (?:a )?csv/iu,
    run: saveCsv,
  },
  {
    pattern:
      /(?:这|這)(?:张|張)(?:图|圖)|(?:图片|圖片)(?:里|裡)有|\bwhat is in (?:this|the) (?:image|picture|photo)/iu,
    run: describeImage,
  },
  {
    pattern:
      /(?:先)?(?:问|問)我(?:两|兩|几|幾|一)?(?:个|個)?(?:问题|問題)|\bask me (?:first|some questions|two questions)\b/iu,
    run: askFirst,
  },
  {
    pattern: /^(?:不要改|别改|別改|不要动|不要動)|^(?:please\s+)?do(?:n't| not) (?:change|touch|edit)\b/iu,
    run: acceptLimit,
  },
  {
    pattern:
      /^(?:请|請)?(?:用|以|改用|使用).{0,6}(?:中文|英文|繁體|繁体|简体|簡體).{0,4}(?:回答|回复|回覆)?[。.]?$|^(?:please )?(?:answer|reply|speak) in (?:english|(?:traditional |simplified )?chinese)[.]?$/iu,
    run: switchLanguage,
  },
]

const last = (turns: readonly PastTurn[]): PastTurn | undefined => turns.at(-1)
const nothingYet = (language: Language): string =>
  say(
    language,
    'There is nothing before this in the conversation.',
    '此会话中在这之前还没有内容。',
    '此對話中在這之前還沒有內容。',
  )

function* introduce({ tools, language }: TaskContext): TaskRun {
  const names = tools.map(tool => tool.name)
  const [listing] = names.includes('LS')
    ? yield {
        say: say(language, 'Let me look around first.', '我先看看这里有什么。', '我先看看這裡有什麼。'),
        calls: [{ role: 'list', input: { path: '.' } }],
        takesErrors: true,
      }
    : []
  const root = /^- (.+)$/m.exec(listing?.output ?? '')?.[1] ?? '.'
  const files = listing && !listing.is_error ? readListing(listing.output) : []
  const shown = names.slice(0, 12).join(', ')
  return say(
    language,
    `I am the demo model: offline, without a key, and I follow set requests.\n\n- Tools here: ${shown}\n- Folder: \`${root}\` with ${files.slice(0, 8).join(', ') || 'no files'}\n\nTry one of these:\n${bullets(['Which day had the most visitors?', 'Fix the TODO in greet.py', 'Translate meeting.md into Chinese'])}\n\nI do several steps in one request and ask before changes. I cannot answer open questions; connect a real model in Settings → Model providers, or set \`ANTHROPIC_API_KEY\` or \`OPENAI_API_KEY\`.`,
    `我是演示模型：离线运行，无需密钥，只处理固定类型的请求。\n\n- 可用工具：${shown}\n- 文件夹：\`${root}\`，其中有 ${files.slice(0, 8).join('、') || '空'}\n\n可以试试：\n${bullets(['哪天游客最多？', '找出所有待办事项', '把 README 翻译成中文'])}\n\n一个请求可以包含多个步骤，更改前会先询问。开放式的问题我回答不了；请在“设置 → 模型提供商”中连接真正的模型，或设置 \`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\`。`,
    `我是示範模型：離線執行，不需金鑰，只處理固定類型的請求。\n\n- 可用工具：${shown}\n- 資料夾：\`${root}\`，其中有 ${files.slice(0, 8).join('、') || '空'}\n\n可以試試：\n${bullets(['哪一天的遊客最少？', '讀取 meeting.md 並整理重點', '搜尋所有提到燈籠的地方'])}\n\n一個請求可以包含多個步驟，變更前會先詢問。開放式的問題我回答不了；請在「設定 → 模型供應商」中連接真正的模型，或設定 \`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\`。`,
  )
}

function* listChanges({ history, language }: TaskContext): TaskRun {
  yield* []
  const files = changedFiles(history.turns)
  const commands = ranCommands(history.turns)
  const ran =
    commands.length === 0
      ? ''
      : `\n\n${say(language, 'Commands that ran:', '运行过的命令：', '執行過的指令：')}\n${bullets(commands.map(command => `\`${command}\``))}`
  if (files.length === 0)
    return say(
      language,
      `No file was changed in this session.${ran}`,
      `此会话中没有更改任何文件。${ran}`,
      `此對話中沒有變更任何檔案。${ran}`,
    )
  return `${say(language, 'Changed in this session:', '此会话中更改的文件：', '此對話中變更的檔案：')}\n${bullets(files.map(file => `${file.path} (${file.tool})`))}${ran}`
}

function* undo({ history, language }: TaskContext): TaskRun {
  yield* []
  const turn = history.turns.findLast(one => changedFiles([one]).length > 0)
  if (!turn)
    return say(
      language,
      'There is no change to undo in this session.',
      '此会话中没有可撤销的更改。',
      '此對話中沒有可復原的變更。',
    )
  const files = bullets(changedFiles([turn]).map(file => file.path))
  return say(
    language,
    `The last change was for “${turn.request}”:\n${files}\n\nI have no tool that takes it back. Use Undo in the Changes panel of this session: it restores these files exactly.`,
    `最近一次更改来自“${turn.request}”：\n${files}\n\n我没有撤销的工具。请在此会话的“更改”面板中点击“撤销”：它会准确还原这些文件。`,
    `最近一次變更來自「${turn.request}」：\n${files}\n\n我沒有復原的工具。請在此對話的「變更」面板中按「復原」：它會準確還原這些檔案。`,
  )
}

function* commitMessage({ history, language }: TaskContext): TaskRun {
  yield* []
  const files = changedFiles(history.turns)
  if (files.length === 0)
    return say(
      language,
      'Nothing was changed in this session, so there is nothing to commit.',
      '此会话中没有更改，因此没有可提交的内容。',
      '此對話中沒有變更，因此沒有可提交的內容。',
    )
  const requests = history.turns.filter(turn => changedFiles([turn]).length > 0).map(turn => turn.request)
  const subject = `chore: ${
    requests
      .at(-1)
      ?.replace(/[.。]$/u, '')
      .slice(0, 60) ?? 'update files'
  }`
  return `${say(language, 'A commit message from the changes:', '根据更改写出的提交说明：', '根據變更寫出的提交訊息：')}\n\n\`\`\`\n${subject}\n\n${bullets(files.map(file => `${file.tool === 'Write' ? 'add' : 'change'} ${file.path}`))}\n\`\`\``
}

const failures = (turns: readonly PastTurn[]) =>
  turns.flatMap(turn => turn.calls).filter(call => call.is_error)

function* explainError({ history, language }: TaskContext): TaskRun {
  yield* []
  const call = failures(history.turns).at(-1)
  if (!call)
    return say(
      language,
      'No call has failed in this session.',
      '此会话中没有失败的调用。',
      '此對話中沒有失敗的呼叫。',
    )
  const what =
    isSchema(call.input) && typeof call.input['command'] === 'string'
      ? `\`${call.input['command']}\``
      : call.name
  const code = /exit code:? (\d+)/iu.exec(call.output)?.[1]
  const reason = /command not found/iu.test(call.output)
    ? say(
        language,
        'The program is not installed, or its name is misspelled.',
        '该程序未安装，或名称拼写有误。',
        '該程式未安裝，或名稱拼寫有誤。',
      )
    : /no such file|not exist|ENOENT/iu.test(call.output)
      ? say(
          language,
          'A file or folder does not exist at that path.',
          '该路径下没有这个文件或文件夹。',
          '該路徑下沒有這個檔案或資料夾。',
        )
      : code === undefined
        ? say(language, 'The tool refused the call.', '工具拒绝了这次调用。', '工具拒絕了這次呼叫。')
        : say(
            language,
            `The command ended with exit code ${code}, which means that it failed.`,
            `命令以退出码 ${code} 结束，表示失败。`,
            `指令以結束代碼 ${code} 結束，表示失敗。`,
          )
  return `${say(language, `The last failed call was ${what}.`, `最近失败的调用是 ${what}。`, `最近失敗的呼叫是 ${what}。`)} ${reason}\n\n> ${call.output.trim().split('\n').slice(0, 4).join('\n> ')}`
}

function* explainDenial({ history, language }: TaskContext): TaskRun {
  yield* []
  const call = failures(history.turns).findLast(one => DENIED.test(one.output))
  if (!call)
    return say(
      language,
      'No call was denied in this session.',
      '此会话中没有被拒绝的调用。',
      '此對話中沒有被拒絕的呼叫。',
    )
  const reason = /They said: (.+)$/s.exec(call.output)?.[1]?.trim() ?? call.output.trim()
  return say(
    language,
    `${call.name} was denied. The reason: “${reason}”`,
    `${call.name} 被拒绝了。理由：“${reason}”`,
    `${call.name} 被拒絕了。理由：「${reason}」`,
  )
}

/** The first sentences of the previous answer, two at most. */
function* shorten({ history, language, text }: TaskContext): TaskRun {
  yield* []
  const answer = last(history.turns)?.answer ?? ''
  if (answer === '') return nothingYet(language)
  const plain = answer.replace(/```[\s\S]*?```/g, '').replace(/[*#>]/g, '')
  const sentences = plain
    .split(/(?<=[.。！？!?])\s+|\n+|(?<=[。！？])/u)
    .map(one => one.replace(/^\s*[-•]\s*/, '').trim())
    .filter(one => one !== '')
  const count = /一句|one sentence/iu.test(text) ? 1 : 2
  return sentences.slice(0, count).join(' ')
}

function* proceed({ history, language }: TaskContext): TaskRun {
  yield* []
  const turn = last(history.turns)
  if (!turn) return nothingYet(language)
  return say(
    language,
    `“${turn.request}” is finished; no step is open. What shall I do next? For example: run the tests, find every TODO, or list what changed.`,
    `“${turn.request}”已经完成，没有未完成的步骤。接下来做什么？例如：运行测试、找出所有待办事项，或列出更改的文件。`,
    `「${turn.request}」已經完成，沒有未完成的步驟。接下來做什麼？例如：執行測試、找出所有待辦事項，或列出變更的檔案。`,
  )
}

function* remind({ tools, language }: TaskContext): TaskRun {
  yield* []
  const schedule = tools.find(tool => /schedul|remind/i.test(tool.name))
  if (schedule)
    return say(
      language,
      `Use ${schedule.name} for that: say “use ${schedule.name}” and the time.`,
      `请使用 ${schedule.name}：说出“使用 ${schedule.name}”和时间。`,
      `請使用 ${schedule.name}：說出「使用 ${schedule.name}」和時間。`,
    )
  return say(
    language,
    'I cannot remind you: this session has no tool for schedules. I can write it into a file instead, for example notes/reminders.md.',
    '我无法提醒你：此会话没有日程工具。可以改为写入文件，例如 notes/提醒.md。',
    '我無法提醒你：此對話沒有排程工具。可以改為寫入檔案，例如 notes/提醒.md。',
  )
}

function* cost({ history, language }: TaskContext): TaskRun {
  yield* []
  const turns = history.turns.length
  return say(
    language,
    `This session has cost $0: ${turns} requests before this one, all answered by the demo model, which is free. Prices and tokens of real models are below each answer.`,
    `此会话至今花费 $0：之前的 ${turns} 个请求都由免费的演示模型回答。使用真正的模型时，每个回答下方会显示费用和 token。`,
    `此對話至今花費 $0：之前的 ${turns} 個請求都由免費的示範模型回答。使用真正的模型時，每個回答下方會顯示費用和 token。`,
  )
}

function* saveCsv({ history, language }: TaskContext): TaskRun {
  const csv = history.turns.map(turn => markdownToCsv(turn.answer)).findLast(found => found !== undefined)
  if (csv === undefined)
    return say(
      language,
      'No answer in this session holds a table.',
      '此会话的回答中没有表格。',
      '此對話的回答中沒有表格。',
    )
  yield {
    say: say(language, 'I write result.csv.', '我来写入 result.csv。', '我來寫入 result.csv。'),
    calls: [write('result.csv', csv)],
  }
  return say(
    language,
    `result.csv has ${csv.trim().split('\n').length - 1} rows.`,
    `result.csv 共 ${csv.trim().split('\n').length - 1} 行数据。`,
    `result.csv 共 ${csv.trim().split('\n').length - 1} 列資料。`,
  )
}

function* describeImage({ media, language }: TaskContext): TaskRun {
  yield* []
  const [part] = media
  if (!part)
    return say(
      language,
      'No image is attached. Attach one and ask again.',
      '没有附加图片。请附加图片后再问。',
      '沒有附加圖片。請附加圖片後再問。',
    )
  const { source } = part
  const type = source.media_type ?? part.type
  const size =
    source.type === 'base64'
      ? `${Math.round((source.data.length * 3) / 4)} bytes`
      : source.type === 'url'
        ? source.url
        : source.type === 'file'
          ? `${source.bytes ?? 0} bytes`
          : `${source.data.length} characters`
  const name = part.title ?? part.type
  return say(
    language,
    `I can read the name, type and size only: ${name}, ${type}, ${size}. To see what is in the image, connect a real model in Settings → Model providers.`,
    `我只能读取名称、类型和大小：${name}，${type}，${size}。要了解图片内容，请在“设置 → 模型提供商”中连接真正的模型。`,
    `我只能讀取名稱、類型和大小：${name}，${type}，${size}。要了解圖片內容，請在「設定 → 模型供應商」中連接真正的模型。`,
  )
}

function* askFirst({ language, text }: TaskContext): TaskRun {
  const questions = [
    {
      header: say(language, 'Audience', '对象', '對象'),
      question: say(language, 'Who is it for?', '给谁看？', '給誰看？'),
      options: [
        { label: say(language, 'Visitors', '游客', '遊客') },
        { label: say(language, 'The port office', '港务局', '港務局') },
      ],
    },
    {
      header: say(language, 'Format', '形式', '形式'),
      question: say(language, 'Which format do you want?', '想要什么形式？', '想要什麼形式？'),
      options: [{ label: 'Markdown' }, { label: 'HTML' }],
    },
  ]
  const [answers] = yield {
    say: say(language, 'Two questions first.', '先问两个问题。', '先問兩個問題。'),
    calls: [{ role: 'ask', input: { questions } }],
  }
  return say(
    language,
    `Thank you. I go by these answers: ${answers?.output.trim() ?? ''}. Tell me which file to start with.`,
    `谢谢。我会按这些回答进行：${answers?.output.trim() ?? ''}。请告诉我从哪个文件开始（“${text}”）。`,
    `謝謝。我會按這些回答進行：${answers?.output.trim() ?? ''}。請告訴我從哪個檔案開始（「${text}」）。`,
  )
}

function* acceptLimit({ text, language }: TaskContext): TaskRun {
  yield* []
  const file =
    /[\w./-]*[A-Za-z][\w./-]*/.exec(
      text.replace(/do(?:n't| not)|change|touch|edit|please|the/giu, ''),
    )?.[0] ?? ''
  return say(
    language,
    `Understood: I leave ${file} alone from here on and change code only.`,
    `明白：从现在起不改 ${file}，只改代码。`,
    `了解：從現在起不改 ${file}，只改程式碼。`,
  )
}

function* switchLanguage({ text, language }: TaskContext): TaskRun {
  yield* []
  const chosen = askedLanguage(text) ?? language
  return say(
    chosen,
    'I answer in English from here on.',
    '从现在起我用简体中文回答。',
    '從現在起我用繁體中文回答。',
  )
}
