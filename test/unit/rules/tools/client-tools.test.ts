import { expect, test } from 'vitest';
import { DEFAULT_TOOL_POLICY, type ToolDefinition } from '../../../../src/run/tools/tool.js';
import { mergeClientTools } from '../../../../src/run/tools/workflow-tools.js';

const SERVER_TOOL: ToolDefinition = {
  name: 'read_file',
  serverToolName: 'read_file',
  origin: { type: 'mcp', server: 'files' },
  description: 'Reads',
  inputSchema: { type: 'object' },
  validation: 'delegate',
  policy: { ...DEFAULT_TOOL_POLICY, readOnly: true },
};

const clientTool = (name: string) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', title: name },
});
const names = (tools: readonly ToolDefinition[]) => tools.map(({ name }) => name);

test('mergeClientTools: no client tools → the servers tools as they are (T8)', () => {
  expect(mergeClientTools([SERVER_TOOL], [])).toEqual({ tools: [SERVER_TOOL], warnings: [] });
  expect(mergeClientTools([], [])).toEqual({ tools: [], warnings: [] });
});

test('mergeClientTools: a client tool → after the servers, run by the client, checked, never reused (T8, T10)', () => {
  const { tools, warnings } = mergeClientTools([SERVER_TOOL], [clientTool('photo')]);
  expect(warnings).toEqual([]);
  expect(names(tools)).toEqual(['read_file', 'photo']);
  expect(tools[1]).toEqual({
    name: 'photo',
    serverToolName: 'photo',
    origin: { type: 'client' },
    description: 'Does photo',
    inputSchema: { type: 'object', title: 'photo' },
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, cache: 'none' },
  });
});

test('mergeClientTools: the name of a server tool → the server wins, with a warning (T8, T3)', () => {
  const { tools, warnings } = mergeClientTools([SERVER_TOOL], [clientTool('read_file'), clientTool('photo')]);
  expect(names(tools)).toEqual(['read_file', 'photo']);
  expect(tools[0]).toEqual(SERVER_TOOL);
  expect(warnings).toEqual([expect.stringContaining("The client's tool read_file is left out")]);
});

test('mergeClientTools: two client tools of one name → the first, with a warning (T8)', () => {
  const second = { ...clientTool('photo'), description: 'Another' };
  const { tools, warnings } = mergeClientTools([], [clientTool('photo'), second]);
  expect(tools).toMatchObject([{ name: 'photo', description: 'Does photo' }]);
  expect(warnings).toHaveLength(1);
});

test('mergeClientTools: given lists → unchanged (T8)', () => {
  const given = [SERVER_TOOL];
  mergeClientTools(given, [clientTool('photo')]);
  expect(given).toEqual([SERVER_TOOL]);
  expect(DEFAULT_TOOL_POLICY.cache).toBe('goal');
});
