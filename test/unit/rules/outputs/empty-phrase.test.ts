import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmptyPhrase } from '../../../../src/rules/outputs/empty-phrase.js';

describe('isEmptyPhrase', () => {
  it.each([
    '',
    '  ',
    '✅',
    '...',
    'Done',
    'Done.',
    '**Done!**',
    'OK',
    'Task completed',
    'Task completed successfully.',
    'The task has been completed.',
    'All tasks are completed and the user needs are satisfied.',
    "The user's request was fulfilled.",
    'task-1 completed',
    'Task 3 is done.',
    'All requirements have been met. Done.',
    'Successfully completed all the requested steps',
    '任务已完成',
    '任务已完成。',
    '需求已满足',
    '所有任务均已完成，用户需求已满足！',
    '任务1已完成',
    '完成',
    '已完成 ✅ Done',
  ])('F11 isEmptyPhrase: %j → true', text => {
    expect(isEmptyPhrase(text)).toBe(true);
  });

  it.each([
    'Done: 42 files contain TODO',
    '42',
    'Yes.',
    'No',
    'The task is not completed.',
    'Task completed: README.md has 3 headings.',
    'Completed the migration of users to PostgreSQL',
    'The answer is 7.',
    'Paris',
    'All 12 tests pass.',
    'src/a.ts',
    '任务已完成：共有 42 个文件包含 TODO',
    '任务未完成',
    '没有完成',
    '文件共有三行',
    '北京',
    'Task 1',
    'the user',
    `Done. ${'All tasks are completed. '.repeat(20)}`,
  ])('F11 isEmptyPhrase: %j → false', text => {
    expect(isEmptyPhrase(text)).toBe(false);
  });

  it('F11 isEmptyPhrase: any text → an answer, and none for a text with a number of its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(), (text, number) => {
        isEmptyPhrase(text);
        expect(isEmptyPhrase(`Done, files: ${number}`)).toBe(false);
      }),
    );
  });
});
