import { expect, test } from 'vitest';
import { type Message, NO_USAGE, type ToolResultBlock } from '../../../src/run/messages/message.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { lookUp } from '../../../src/run/tools/ledger.js';
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

test.each([
  ['lasts less long than that', 60_000, 0],
  ['lasts longer', 4_000_000, 1],
])(
  'D7 D5 a result of an hour ago, of a tool whose result %s → known: %2$i',
  async (_what, cacheTtlMs, known) => {
    const state = newRunState('Go on.', { mode: 'react', workspace: '/w', autoApprove: false }, 0);
    const now = 5_000_000;
    const run = new Run(state, { ...quietPorts([]), now: () => now });
    const policy = { readOnly: true, cache: 'conversation', cacheTtlMs } as const;
    const tool = fileTool('page', policy);
    const pinned = pinnedRun({ roles: { react: testRole('react', { output: 'text' }) }, tools: [tool] });
    const messages = called('page').map(message => ({ ...message, at: now - 3_600_000 }));
    await beginRun(run, pinned, { messages, leftOut: 0 });
    const rules = { policy: tool.policy, dedupe: 'enforce', now } as const;
    expect(lookUp(state.tools.ledger, 'page', { path: 'page' }, rules) === null ? 0 : 1).toBe(known);
  },
);
