import { expect, test } from 'vitest'
import { sizeProblems } from '../size-budgets.ts'

const budgets = { a: { files: 100, bytes: 1000 }, 'npm install toolwire': { packages: 3, bytes: 18_000_000 } }
const measured = (change: object) => ({ ...budgets, ...change })

test('a size may grow by three percent before its number has to be changed', () => {
  expect(sizeProblems(budgets, budgets)).toEqual([])
  expect(sizeProblems(measured({ a: { files: 103, bytes: 1030 } }), budgets)).toEqual([])
  expect(sizeProblems(measured({ a: { files: 104, bytes: 1031 } }), budgets)).toEqual([
    'a has 104 files, and its number is 100',
    'a has 1031 bytes, and its number is 1000',
  ])
})

test('a package without a number and a number without a package are problems', () => {
  expect(sizeProblems(measured({ b: { files: 1 } }), budgets)).toEqual([
    'b has no number for files: it has 1',
  ])
  expect(sizeProblems({ a: budgets.a }, budgets)).toEqual([
    'npm install toolwire has a number and is not there',
  ])
})

test('an installation of the command has limits that no number changes', () => {
  const large = { packages: 7, bytes: 20_971_521 }
  const all = measured({ 'npm install toolwire': large })
  expect(sizeProblems(all, all)).toEqual([
    'npm install toolwire brings 7 packages; at most 6 are allowed',
    'npm install toolwire brings 20971521 bytes; at most 20971520 are allowed',
  ])
})
