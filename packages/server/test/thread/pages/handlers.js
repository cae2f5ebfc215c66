// The page's own tools, by name. What they return, or why they failed, goes back as JSON text.
const handlers = {
  set_temperature: async ({ value }) => {
    document.getElementById('temperature').value = value
    return { success: true, new_value: value }
  },
  set_model: async ({ model }) => {
    document.getElementById('model').value = model
    return { success: true, model }
  },
  scroll_to_section: async ({ section }) => {
    document.getElementById(section).scrollIntoView()
    return { success: true }
  },
  refresh_data: async ({ target }) => {
    document.getElementById(target).textContent = 'fresh'
    return { success: true, count: 3 }
  },
  break_down: async () => {
    throw new Error('the handler broke')
  },
}

export async function runTool({ call_id, name, arguments: text }) {
  let result
  try {
    const handler = handlers[name]
    result = handler ? await handler(JSON.parse(text)) : { success: false, error: `no tool ${name} here` }
  } catch (error) {
    result = { success: false, error: error.message }
  }
  return { call_id, output: JSON.stringify(result) }
}

export const tools = [...Object.keys(handlers), 'not_here'].map(name => ({
  name,
  parameters: { type: 'object' },
}))

export const postJson = (path, body) =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const show = (id, text) => {
  document.getElementById(id).textContent += text
}
