/** Starts the page: one client, one session, one tree. */
import { createClient } from '@toolwire/client'
import { SessionProvider } from '@toolwire/vue'
import { createApp, h } from 'vue'
import { App } from './app.ts'
import { findSessionId } from './session-id.ts'
import '@toolwire/vue/styles.css'
import './page.css'

const client = createClient()
const sessionId = await findSessionId(client)
createApp(() => h(SessionProvider, { client, sessionId }, () => h(App))).mount('#app')
