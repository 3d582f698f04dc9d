import { describe, expect, test } from 'vitest';
import { readGoal, workFor } from '../../../src/rehearsal/goal.js';

const ALL = ['readme', 'tree', 'lines', 'largest', 'todos', 'headings', 'dependencies'];

describe('rehearsal: what a goal asks for', () => {
  test.each<[string, object]>([
    ['Give me an overview of this project', { topics: ALL, unserved: null }],
    ['What does this repository do?', { topics: ALL, unserved: null }],
    ['What is in this folder?', { topics: ALL }],
    ['What is left to do here?', { topics: ['todos'] }],
    ['Summarise this project and count TODOs', { topics: ['readme', 'tree', 'todos'], unserved: null }],
    ['Count the lines of code by language', { topics: ['lines'] }],
    ['List all TODO and FIXME comments, then the largest files', { topics: ['todos', 'largest'] }],
    ['What does the README say?', { topics: ['readme'], files: [] }],
    ['Summarise README.md', { topics: [], files: ['README.md'], unserved: null }],
    [
      'What is in src/core/plan/plan.ts and package.json?',
      { files: ['src/core/plan/plan.ts', 'package.json'] },
    ],
    ['Where is `parseArgs` used?', { topics: [], words: ['parseArgs'] }],
    ['where is parseArgs defined', { words: ['parseArgs'] }],
    ['Which files mention "retry policy"?', { topics: [], words: ['retry policy'] }],
    [
      'How many times does lodash occur, and how many lines are there?',
      { topics: ['lines'], words: ['lodash'] },
    ],
    ['Count lines in src/core', { topics: ['lines'], folders: ['src/core'] }],
    ['How many files are in the docs folder?', { topics: ['tree'], folders: ['docs'] }],
    [
      'Write a short summary of the dependencies',
      { topics: expect.arrayContaining(['dependencies']), unserved: null },
    ],
    [
      'Write a summary of this project to docs/SUMMARY.md.',
      { writeTo: 'docs/SUMMARY.md', files: [], unserved: null, topics: ALL },
    ],
    [
      'List the TODOs in src/core and save them in `TODO.md`, please',
      { writeTo: 'TODO.md', topics: ['todos'], folders: ['src/core'], files: [] },
    ],
    ['找出待办事项，写入 todo.md', { zh: true, writeTo: 'todo.md', topics: ['todos'], unserved: null }],
    ['What is written in notes.md?', { writeTo: null, files: ['notes.md'] }],
    ['Fix the bug in src/a.ts', { files: ['src/a.ts'], unserved: 'fix' }],
    ['Please write a web server in Go', { unserved: 'write', topics: ['readme', 'tree'] }],
    ["What's the weather in Paris?", { unserved: 'weather' }],
    ['How many boats?', { unserved: '', topics: ['readme', 'tree'] }],
    ['Show the dependencies of this Node.js app', { topics: ['dependencies'], files: [] }],
    ['统计各语言的代码行数，并找出待办事项', { zh: true, topics: ['lines', 'todos'], unserved: null }],
    ['介绍一下这个项目', { zh: true, topics: ALL, unserved: null }],
    ['README.md 里写了什么？', { zh: true, files: ['README.md'] }],
    [
      '最大的文件有哪些？依赖是什么？',
      { zh: true, topics: expect.arrayContaining(['largest', 'dependencies']) },
    ],
    ['帮我修复这个错误', { zh: true, unserved: '修复' }],
  ])('goal "%s" → its parts', (goal, wanted) => {
    expect(readGoal(goal)).toMatchObject(wanted);
  });

  test('goal: what is said later on a line of its own → added to what is asked', () => {
    expect(readGoal('What does the README say?\nAlso count the lines')).toMatchObject({
      topics: ['readme', 'lines'],
    });
  });

  test.each([
    ['Summarise README.md', ['read']],
    ['Give me an overview of this project', ['survey', 'read', 'source']],
    ['Largest files?', ['survey']],
    ['Find all TODOs', ['survey', 'source']],
  ] as [string, string[]][])('goal "%s" → work %j', (goal, work) => {
    expect(workFor(readGoal(goal))).toEqual(work);
  });
});
