/** A run as an agent of AG-UI: the clients of both versions of the protocol, on the real server. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AG_UI_VERSIONS, agUiOfFile } from '../support/ag-ui.js';
import { writingSearch } from '../support/project.js';
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
      ...writingSearch(),
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
      expect(agent.state).toMatchObject({ run: agent.threadId, phase: 'ended', outcome: 'answered' });
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

  const write = (path: string) => calls({ name: 'write_file', arguments: { path, content: 'written\n' } });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(agUi.url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${agUi.token}`, ...headers },
    });
  const input = (more: object) => ({
    threadId: thread(),
    runId: 'r',
    messages: [],
    tools: [],
    context: [],
    ...more,
  });

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a client goes away and comes back → the run went on, and a snapshot tells what was said',
    async version => {
      const held = latch();
      const script = rig.play(async (_request, index) => {
        if (index === 0) return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
        await held.until;
        return { text: 'It says alpha.' };
      });
      const id = thread();
      const gone = agUi.agent(version, id);
      gone.agent.addMessage(user('Read a.txt.'));
      const reading = gone.agent.runAgent({ forwardedProps: react }).catch(() => undefined);
      await script.arrived(1);
      await until('the result was told', () => gone.told[0]?.some(({ type }) => type === 'TOOL_CALL_RESULT'));
      gone.agent.abortRun();
      await reading;
      held.open();
      await (await agUi.client.attach(id)).result();
      const back = agUi.agent(version, id);
      back.agent.setMessages([...gone.agent.messages]);
      await back.agent.runAgent();
      const told = back.told[0]?.map(({ type }) => type);
      expect(told).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STATE_SNAPSHOT', 'RUN_FINISHED']);
      expect(back.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(back.agent.messages[0]).toEqual(gone.agent.messages[0]);
      expect(back.agent.messages.at(-1)).toMatchObject({ content: 'It says alpha.' });
      expect(back.told[0]?.at(-1)?.result).toMatchObject({
        run: id,
        outcome: 'answered',
        text: 'It says alpha.',
      });
      const fresh = agUi.agent(version, id);
      await fresh.agent.runAgent();
      expect(fresh.agent.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
      ]);
    },
  );

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a message to a thread that has its answer → the goal of the next run, which knows the first',
    async version => {
      const script = rig.play((_request, index) => ({ text: index === 0 ? 'Blue.' : 'As I said.' }));
      const id = thread();
      const { agent } = agUi.agent(version, id);
      for (const goal of ['Which colour?', 'Which colour?']) {
        agent.addMessage(user(goal));
        await agent.runAgent({ forwardedProps: react });
      }
      expect(agent.messages.map(({ content }) => content)).toEqual([
        ...['Which colour?', 'Blue.', 'Which colour?', 'As I said.'],
      ]);
      expect(agent.state).toMatchObject({ run: `${id}~2` });
      expect(JSON.stringify(script.requests.at(-1))).toContain('Blue.');
    },
  );

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a message to a thread that is kept open → its follow-up in the same run',
    async version => {
      rig.play((_request, index) => ({ text: index === 0 ? 'Blue.' : 'Green.' }));
      const id = thread();
      const { agent } = agUi.agent(version, id);
      const open = { steersman: { mode: 'react', keepOpenSeconds: 60 } };
      for (const goal of ['Which colour?', 'And now?']) {
        agent.addMessage(user(goal));
        await agent.runAgent({ forwardedProps: open });
      }
      expect(agent.messages.map(({ content }) => content)).toEqual([
        ...['Which colour?', 'Blue.', 'And now?', 'Green.'],
      ]);
      expect(agent.state).toMatchObject({ run: id });
      await (await agUi.client.attach(id)).finish();
    },
  );

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a tool of the client → its call ends the request, and the next brings its result',
    async version => {
      const script = rig.play((_request, index) =>
        index === 0 ? calls({ name: 'pick_colour', arguments: { of: 'sky' } }) : { text: 'It is blue.' },
      );
      const { agent, told } = agUi.agent(version, thread());
      const parameters = { type: 'object', properties: { of: { type: 'string' } } };
      const tools = [{ name: 'pick_colour', description: 'Asks the person for a colour.', parameters }];
      agent.addMessage(user('Which colour?'));
      await agent.runAgent({ tools, forwardedProps: react });
      const last = agent.messages.at(-1);
      const [asked] = (last?.role === 'assistant' && last.toolCalls) || [];
      expect(asked?.function).toEqual({ name: 'pick_colour', arguments: '{"of":"sky"}' });
      const outcome = { type: 'success', ...(version === '1.0.0' && { pendingToolCallIds: [asked?.id] }) };
      expect(told[0]?.at(-1)?.outcome).toEqual(outcome);
      agent.addMessage({ id: randomUUID(), role: 'tool', toolCallId: asked?.id ?? '', content: 'blue' });
      await agent.runAgent({ tools });
      expect(JSON.stringify(script.requests.at(-1))).toContain('blue');
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    },
  );

  test.each(AG_UI_VERSIONS)(
    'AG-UI %s: a sub-agent asks → the interrupt names it, it is told to wait, and goes on in the next request',
    async version => {
      const path = `sub-${version}.txt`;
      rig.play(({ body }) => {
        const said = JSON.stringify(body.messages);
        if (!said.includes('search-agent'))
          return said.includes('Three boats.')
            ? { text: 'There are three.' }
            : calls({
                name: 'call_subagent',
                arguments: { agent_name: 'search', instruction: 'Which boats?' },
              });
        return said.includes('Successfully wrote') ? { text: 'Three boats.' } : write(path);
      });
      const id = thread();
      const { agent, told } = agUi.agent(version, id);
      agent.addMessage(user('Count the boats.'));
      await agent.runAgent({ forwardedProps: { steersman: { mode: 'lead' } } });
      const [asked] = agent.pendingInterrupts;
      const subagentRunId = `${id}/search/1`;
      expect(asked).toMatchObject({ reason: 'tool_call', subagentRunId });
      expect(agent.messages).toContainEqual(expect.objectContaining({ role: 'assistant', subagentRunId }));
      await agent.runAgent({
        resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: { approved: true } }],
      });
      const ends = told.map(events => events.filter(({ type }) => type.startsWith('SUBAGENT_')));
      expect(ends.map(events => events.map(({ outcome }) => outcome))).toEqual([
        [undefined, { type: 'suspended' }],
        [undefined, { type: 'success' }],
      ]);
      expect(readFileSync(join(rig.project.workspace, path), 'utf8')).toBe('written\n');
      expect(agent.messages.at(-1)).toMatchObject({ content: 'There are three.' });
    },
  );

  test('AG-UI: an interrupt that is answered twice, and one that never was → the first wins, the other is told', async () => {
    rig.play((_request, index) => (index === 0 ? write('once.txt') : { text: 'Done.' }));
    const id = thread();
    const { agent } = agUi.agent('1.0.0', id);
    agent.addMessage(user('Write it once.'));
    await agent.runAgent({ forwardedProps: react });
    const [asked] = agent.pendingInterrupts;
    const answer = (interruptId: string, payload: unknown) =>
      post(
        input({
          ...{ threadId: id, messages: agent.messages },
          resume: [{ interruptId, status: 'resolved', payload }],
        }),
      ).then(reply => reply.text());
    expect(await answer(`${id}:g99`, { approved: true })).toContain(`there is no interrupt ${id}:g99`);
    expect(await answer(asked?.id ?? '', 'perhaps')).toContain('resume[0].payload');
    expect(await answer(asked?.id ?? '', { approved: true })).not.toContain('not_taken');
    expect(await answer(asked?.id ?? '', { approved: false })).toContain('steersman.not_taken');
    expect(readFileSync(join(rig.project.workspace, 'once.txt'), 'utf8')).toBe('written\n');
  });

  test('AG-UI: the same first request twice at once → one run with one goal, told to both (WB9)', async () => {
    const script = rig.play(() => ({ text: 'Three boats.' }));
    const first = input({ messages: [user('Count the boats.')], forwardedProps: react });
    const told = await Promise.all([post(first), post(first)].map(async reply => (await reply).text()));
    for (const each of told) expect(each).toContain('Three boats.');
    expect(script.requests).toHaveLength(1);
    const threads = rig.env.client.workflow.list({ query: `WorkflowId = '${first.threadId}'` });
    const runs = [];
    for await (const { workflowId } of threads) runs.push(workflowId);
    expect(runs).toEqual([first.threadId]);
  });

  test('AG-UI: two clients bring the result of one call → the first counts, the other is told and follows (WB9)', async () => {
    const script = rig.play((_request, index) =>
      index === 0 ? calls({ name: 'pick_colour', arguments: {} }) : { text: 'Blue it is.' },
    );
    const id = thread();
    const tools = [{ name: 'pick_colour', description: 'Asks the page.', parameters: { type: 'object' } }];
    const { agent } = agUi.agent('1.0.0', id);
    agent.addMessage(user('Which colour?'));
    await agent.runAgent({ tools, forwardedProps: react });
    const { toolCalls: [call] = [] } = agent.messages.at(-1) as { toolCalls?: { id: string }[] };
    const brings = (content: string) =>
      post(
        input({
          ...{ threadId: id, tools },
          messages: [...agent.messages, { id: randomUUID(), role: 'tool', toolCallId: call?.id, content }],
        }),
      ).then(reply => reply.text());
    const told = await Promise.all([brings('blue'), brings('red')]);
    for (const each of told) {
      expect(each).not.toContain('RUN_ERROR');
      expect(each).toContain('RUN_FINISHED');
    }
    expect(script.requests).toHaveLength(2);
  });

  test.each([
    ['no thread', { threadId: undefined }, 'at threadId'],
    ['a thread that can be no run', { threadId: 'a b' }, 'at threadId'],
    ['a message without a role', { messages: [{ id: 'm' }] }, 'at messages[0].role'],
    ['a resume without a status', { resume: [{ interruptId: 'g' }] }, 'at resume[0].status'],
    [
      'an option of ours that is none',
      { forwardedProps: { steersman: { mod: 'x' } } },
      'forwardedProps.steersman',
    ],
  ])('AG-UI: %s → 400 that names the field', async (_what, wrong, path) => {
    const reply = await post(input(wrong));
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(path);
  });

  test('AG-UI: an unknown thread without a message → RUN_ERROR that says what is missing', async () => {
    const told = await (await post(input({}))).text();
    expect(told).toContain('RUN_ERROR');
    expect(told).toContain('no message in the input');
  });

  test.each<[string, number, Record<string, string>]>([
    ['no token', 401, { authorization: '' }],
    ['a token that nobody knows', 401, { authorization: 'Bearer x' }],
    ['the Origin of another page', 403, { origin: 'http://127.0.0.1:1' }],
    ['the Origin of no page', 403, { origin: 'null' }],
    ['no JSON', 415, { 'content-type': 'text/plain' }],
  ])('AG-UI: %s → %i, and nothing for other pages', async (_what, status, headers) => {
    const reply = await post(input({ messages: [user('Go.')] }), headers);
    expect(reply.status).toBe(status);
    expect([...reply.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([]);
  });
});
