/** The entry point of the app. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '@toolwire/react/styles.css'
import './styles/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { showSetLanguage } from './strings/load-strings.ts'

const place = document.getElementById('app')
// Without it a Chinese page would be drawn in English first.
if (place) void showSetLanguage().then(() => createRoot(place).render(<App />))

// Chinese characters: a long table of ranges that the first paint need not wait for.
void import('@fontsource-variable/noto-sans-sc/wght.css').catch(() => {})
