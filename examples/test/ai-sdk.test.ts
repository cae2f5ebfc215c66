/** The page of `examples/ai-sdk` in a real browser: useChat of ai 7 against the real server with the demo model. */
import { describe } from 'vitest'
import { testChat } from './chat-scenarios.ts'
import { setUpStage } from './chat-stage.ts'
import { buildPage, folderOfExample } from './start-example.ts'

const stage = setUpStage(() => buildPage(folderOfExample('ai-sdk')))

// All scenarios of version 7 take a minute; the other versions and front ends run in `npm run test:clients`.
describe('useChat of ai 7', () => testChat(stage, { dialect: 7 }))
