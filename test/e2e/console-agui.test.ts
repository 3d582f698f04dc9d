/** A run as an agent of AG-UI: the clients of both versions of the protocol, on the real server. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AG_UI_VERSIONS, agUiOfFile } from '../support/ag-ui.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
const react = { steersman: { mode: 'react' } };
const user = (content: string) => ({ id: randomUUID(), role: 'user' as const, content });

describe('AG-UI', () => {
  const rig = rigOfFile({
    workspace: { 'a.txt': 'alpha\n' },
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
    },
  });
  const agUi = agUiOfFile(rig);
  const thread = () => `thread-${randomUUID().slice(0, 8)}`;

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a goal, its call approved by a resume → the file is there, and the answer is told',
    async version => {
      const path = `by-${version}.txt`;
      rig.play((_request, index) =>
        index === 0
          ? calls({ name: 'write_file', arguments: { path, content: 'written\n' } })
          : { text: 'It stands in the file.' },
      );
      const { agent, told } = agUi.agent(version, thread());
      agent.addMessage(user('Write a file.'));
      await agent.runAgent({ forwardedProps: react });
      const [asked] = agent.pendingInterrupts;
      expect(asked).toMatchObject({ reason: 'tool_call', toolCallId: expect.any(String) });
      await agent.runAgent({
        resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: { approved: true } }],
      });
      expect(readFileSync(join(rig.project.workspace, path), 'utf8')).toBe('written\n');
      expect(agent.pendingInterrupts).toEqual([]);
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(agent.messages.at(-1)).toMatchObject({ content: 'It stands in the file.' });
      expect(agent.state).toMatchObject({ run: agent.threadId });
      expect(told.map(events => events.at(-1)?.type)).toEqual(['RUN_FINISHED', 'RUN_FINISHED']);
    },
  );

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a message to a thread at work → steers it, and both streams tell the answer',
    async version => {
      const held = latch();
      const script = rig.play(async (_request, index) => {
        if (index > 0) return { text: 'With the lighthouse.' };
        await held.until;
        return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
      });
      const id = thread();
      const first = agUi.agent(version, id);
      first.agent.addMessage(user('Look around.'));
      const working = first.agent.runAgent({ forwardedProps: react });
      await script.arrived(0);
      const second = agUi.agent(version, id);
      second.agent.setMessages([...first.agent.messages, user('Mind the lighthouse')]);
      const steering = second.agent.runAgent();
      await until('the message has a receipt', () =>
        second.told[0]?.some(({ name }) => name === 'steersman.receipt'),
      );
      held.open();
      await Promise.all([working, steering]);
      expect(JSON.stringify(script.requests.at(-1))).toContain('Mind the lighthouse');
      for (const { agent } of [first, second])
        expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'With the lighthouse.' });
    },
  );
});
