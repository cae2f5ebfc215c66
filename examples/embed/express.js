import express from 'express'
import { toolwire } from './agent.js'

const app = express()
app.use(express.json())
app.use('/agent', toolwire.node)
app.get('/', (_request, response) => response.send('The application.'))
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(server.address().port))
