import { expect, test } from 'vitest';
import { offeredTools } from '../../../../src/core/agents/run-config.js';
import { addWorkflowTools } from '../../../../src/core/tools/workflow-tools.js';
import { pinnedRun } from '../../../support/core-values.js';
import { fileTool } from '../../../support/small-run.js';

const LIST = 'list_artifacts';

test.each<[string, string[], boolean]>([
  ['its name', [LIST], true],
  ['a glob that fits it', ['*_artifacts'], true],
  ['everything there is', ['*'], false],
  ['everything, and it besides', ['*', LIST], true],
  ['another tool', ['read'], false],
])('workflow tools: a role names %s → pinned and offered: %s is %s', (_, tools, expected) => {
  const pinned = pinnedRun({ tools: addWorkflowTools([fileTool('read')], [{ tools }]).tools });
  expect(pinned.tools.some(({ name }) => name === LIST)).toBe(expected);
  expect(offeredTools(pinned, { tools }).some(({ name }) => name === LIST)).toBe(expected);
  expect(offeredTools(pinned, { tools: ['*'] }).map(({ name }) => name)).toEqual(['read']);
});

test('workflow tools: a server has the name already → the tool stays the server’s, with a warning', () => {
  const { tools, warnings } = addWorkflowTools([fileTool(LIST)], [{ tools: [LIST] }]);
  expect(tools.map(({ origin }) => origin.type)).toEqual(['mcp']);
  expect(warnings).toEqual([expect.stringContaining(LIST)]);
});
