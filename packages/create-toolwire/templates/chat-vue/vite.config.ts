import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin } from 'vite'
import { toolwire } from './agent.ts'

// While you develop, the agent answers below /agent of Vite's own server.
const agent: Plugin = {
  name: 'agent',
  apply: 'serve',
  configureServer: server => void server.middlewares.use(toolwire.node),
}

export default defineConfig({ plugins: [vue(), agent], server: { host: '127.0.0.1' } })
