/** Work that may be done in a thread. Arguments and results are plain data; modules are loaded by whoever does it. */
import type { editText } from '../tools/files/edit-text.ts'
import type { pdfText } from '../tools/files/pdf-text.ts'
import type { planEdit } from '../tools/files/plan-edit.ts'
import type { describeFiles, planWrite } from '../tools/files/plan-write.ts'
import type { pageOf } from '../tools/files/text-page.ts'
import type { takeOverChange, whatChanged } from '../tools/files/what-changed.ts'
import type { planNotebook } from '../tools/notebooks/plan-notebook.ts'
import type { showNotebook } from '../tools/notebooks/show-notebook.ts'
import type { grepFiles } from '../tools/search/grep-files.ts'
import type { pageText } from '../tools/web/page-text.ts'

export const JOBS = {
  pdfText: async (...args: Parameters<typeof pdfText>) =>
    (await import('../tools/files/pdf-text.ts')).pdfText(...args),
  pageText: async (...args: Parameters<typeof pageText>) =>
    (await import('../tools/web/page-text.ts')).pageText(...args),
  pageOf: async (...args: Parameters<typeof pageOf>) =>
    (await import('../tools/files/text-page.ts')).pageOf(...args),
  planEdit: async (...args: Parameters<typeof planEdit>) =>
    (await import('../tools/files/plan-edit.ts')).planEdit(...args),
  editText: async (...args: Parameters<typeof editText>) =>
    (await import('../tools/files/edit-text.ts')).editText(...args),
  planWrite: async (...args: Parameters<typeof planWrite>) =>
    (await import('../tools/files/plan-write.ts')).planWrite(...args),
  describeFiles: async (...args: Parameters<typeof describeFiles>) =>
    (await import('../tools/files/plan-write.ts')).describeFiles(...args),
  whatChanged: async (...args: Parameters<typeof whatChanged>) =>
    (await import('../tools/files/what-changed.ts')).whatChanged(...args),
  takeOverChange: async (...args: Parameters<typeof takeOverChange>) =>
    (await import('../tools/files/what-changed.ts')).takeOverChange(...args),
  showNotebook: async (...args: Parameters<typeof showNotebook>) =>
    (await import('../tools/notebooks/show-notebook.ts')).showNotebook(...args),
  planNotebook: async (...args: Parameters<typeof planNotebook>) =>
    (await import('../tools/notebooks/plan-notebook.ts')).planNotebook(...args),
  grepFiles: async (...args: Parameters<typeof grepFiles>) =>
    (await import('../tools/search/grep-files.ts')).grepFiles(...args),
}

export type Jobs = typeof JOBS
export type JobName = keyof Jobs
