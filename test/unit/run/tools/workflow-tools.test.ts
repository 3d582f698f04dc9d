import { expect, test } from 'vitest';
import { OWN_TOOLS } from '../../../../src/features/workers.js';
import { offeredTools } from '../../../../src/run/agents/run-config.js';
import { ASK_PERSON, addWorkflowTools, type ToolChoice } from '../../../../src/run/tools/workflow-tools.js';
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
  const pinned = pinnedRun({ tools: addWorkflowTools([fileTool('read')], [{ tools }], OWN_TOOLS).tools });
  expect(pinned.tools.some(({ name }) => name === LIST)).toBe(expected);
  expect(offeredTools(pinned, { tools }).some(({ name }) => name === LIST)).toBe(expected);
  expect(offeredTools(pinned, { tools: ['*'] }).map(({ name }) => name)).toEqual(['read']);
});

test.each<[string, Partial<ToolChoice>, boolean]>([
  ['answers in text and has tools', {}, true],
  ['may only look', { readOnly: true }, true],
  ['names other tools alone', { tools: ['read'] }, true],
  ['has no tools', { tools: [] }, false],
  ['has no tools but this one', { tools: [ASK_PERSON] }, true],
  ['reports in a form, which asks by itself', { output: 'execution' }, false],
])('workflow tools: a role %s → it is offered to ask the person: %j is %s (F17)', (_, choice, expected) => {
  const role: ToolChoice = { tools: ['*'], output: 'text', ...choice };
  const pinned = pinnedRun({ tools: addWorkflowTools([fileTool('read')], [role]).tools });
  expect(pinned.tools.some(({ name }) => name === ASK_PERSON)).toBe(expected);
  expect(offeredTools(pinned, role).some(({ name }) => name === ASK_PERSON)).toBe(expected);
});

test('workflow tools: asking the person → costs at most 350 characters of a request (F17)', () => {
  const [tool] = addWorkflowTools([], [{ tools: ['*'], output: 'text' }]).tools;
  const sent = { name: tool?.name, description: tool?.description, input_schema: tool?.inputSchema };
  expect(JSON.stringify(sent).length).toBeLessThanOrEqual(350);
});

test('workflow tools: a server has the name already → the tool stays the server’s, with a warning', () => {
  const { tools, warnings } = addWorkflowTools([fileTool(LIST)], [{ tools: [LIST] }], OWN_TOOLS);
  expect(tools.map(({ origin }) => origin.type)).toEqual(['mcp']);
  expect(warnings).toEqual([expect.stringContaining(LIST)]);
});
