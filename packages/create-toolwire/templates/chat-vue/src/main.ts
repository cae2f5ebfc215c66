import { createClient } from '@toolwire/client'
import { createApp } from 'vue'
import App from './app.vue'
import { findSessionId } from './session-id.ts'
import '@toolwire/vue/styles.css'
import './page.css'

const client = createClient({ baseUrl: '/agent' })
const sessionId = await findSessionId(client)
createApp(App, { client, sessionId }).mount('#app')
