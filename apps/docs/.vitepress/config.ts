import { createSite } from '../src/site.ts'

export default createSite()
