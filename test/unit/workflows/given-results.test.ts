import { expect, test } from 'vitest';
import { type Message, NO_USAGE, type ToolResultBlock } from '../../../src/run/messages/message.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { beginRun } from '../../../src/workflows/goals.js';
import { Run } from '../../../src/workflows/run/run.js';
import { pinnedRun } from '../../support/core-values.js';
import { fileTool, quietPorts, testRole } from '../../support/small-run.js';

function called(name: string, result: Partial<ToolResultBlock> = {}): Message[] {
  return [
    {
      ...{ id: `a-${name}`, at: 1, kind: 'assistant', role: 'react', action: 'calling_tool', model: 'p/a' },
      ...{ stopReason: 'tool_use', usage: NO_USAGE },
      content: [{ type: 'tool_use', id: `t-${name}`, name, input: { path: name } }],
    },
    {
      ...{ id: `r-${name}`, at: 1, kind: 'tool_result' },
      content: [
        {
          ...{ type: 'tool_result', toolUseId: `t-${name}`, toolName: name, ending: 'executed', note: '' },
          ...{ content: [{ type: 'text', text: 'said' }], isError: false, durationMs: 1, ...result },
        },
      ],
    },
  ];
}

test('D7 a run that begins with messages → results of tools that last are known, others and shortened ones are not', async () => {
  const lasts = { readOnly: true, cache: 'conversation' } as const;
  const state = newRunState('Go on.', { mode: 'react', workspace: '/w', autoApprove: false }, 0);
  const run = new Run(state, quietPorts([]));
  const pinned = pinnedRun({
    roles: { react: testRole('react', { output: 'text' }) },
    tools: [fileTool('page', lasts), fileTool('cut', lasts), fileTool('read', { readOnly: true })],
  });
  const messages = [...called('page'), ...called('cut', { note: 'Shortened since.' }), ...called('read')];
  await beginRun(run, pinned, { messages, leftOut: 0 });
  const known = Object.values(state.tools.ledger.entries);
  expect(known.map(({ tool }) => tool)).toEqual(['page']);
  const kept = run.mainThread().messages.find(({ id }) => id === known[0]?.messageId);
  expect(kept?.kind).toBe('tool_result');
});
