/** Jobs that may run in a thread. Arguments and results are plain data; the executor loads the modules. */
import type { editText } from '../files/edit-text.ts'
import type { pdfText } from '../files/pdf-text.ts'
import type { planEdit } from '../files/plan-edit.ts'
import type { describeFiles, planWrite } from '../files/plan-write.ts'
import type { pageOf } from '../files/text-page.ts'
import type { takeOverChange, whatChanged } from '../files/what-changed.ts'
import type { planNotebook } from '../notebooks/plan-notebook.ts'
import type { showNotebook } from '../notebooks/show-notebook.ts'
import type { pageText } from '../web/page-text.ts'

export const JOBS = {
  pdfText: async (...args: Parameters<typeof pdfText>) =>
    (await import('../files/pdf-text.ts')).pdfText(...args),
  pageText: async (...args: Parameters<typeof pageText>) =>
    (await import('../web/page-text.ts')).pageText(...args),
  pageOf: async (...args: Parameters<typeof pageOf>) =>
    (await import('../files/text-page.ts')).pageOf(...args),
  planEdit: async (...args: Parameters<typeof planEdit>) =>
    (await import('../files/plan-edit.ts')).planEdit(...args),
  editText: async (...args: Parameters<typeof editText>) =>
    (await import('../files/edit-text.ts')).editText(...args),
  planWrite: async (...args: Parameters<typeof planWrite>) =>
    (await import('../files/plan-write.ts')).planWrite(...args),
  describeFiles: async (...args: Parameters<typeof describeFiles>) =>
    (await import('../files/plan-write.ts')).describeFiles(...args),
  whatChanged: async (...args: Parameters<typeof whatChanged>) =>
    (await import('../files/what-changed.ts')).whatChanged(...args),
  takeOverChange: async (...args: Parameters<typeof takeOverChange>) =>
    (await import('../files/what-changed.ts')).takeOverChange(...args),
  showNotebook: async (...args: Parameters<typeof showNotebook>) =>
    (await import('../notebooks/show-notebook.ts')).showNotebook(...args),
  planNotebook: async (...args: Parameters<typeof planNotebook>) =>
    (await import('../notebooks/plan-notebook.ts')).planNotebook(...args),
}

export type Jobs = typeof JOBS
export type JobName = keyof Jobs
