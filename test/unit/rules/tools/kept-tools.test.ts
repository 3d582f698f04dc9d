import { expect, test } from 'vitest';
import { allowedAtStart, allowedTool } from '../../../../src/run/tools/permission.js';

const TOOLS = [{ name: 'put', digest: 'p2' }, { name: 'edit', digest: 'e1' }, { name: 'list_artifacts' }];

test.each<[string, string[], { allowed: string[]; changed: string[] }]>([
  ['a name alone', ['put'], { allowed: ['put'], changed: [] }],
  ['the tool as it was', [allowedTool('edit', 'e1')], { allowed: ['edit'], changed: [] }],
  ['another tool now', [allowedTool('put', 'p1')], { allowed: [], changed: ['put'] }],
  ['nobody lists it any more', [allowedTool('send', 's1')], { allowed: [], changed: [] }],
  ['nobody listed it then or now', [allowedTool('send', '')], { allowed: ['send'], changed: [] }],
  ['nobody listed it then', [allowedTool('put', '')], { allowed: [], changed: ['put'] }],
])('tools that were allowed for good: %s → what holds, and what asks again (T23)', (_, entries, expected) => {
  expect(allowedAtStart(entries, TOOLS)).toEqual(expected);
});
