/** Front ends of one's own in Chromium: a page of React, one of `useChat`, and what authors write of components. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution } from '../../packages/test-kit/index.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { type FrontEnds, serveFrontEnds } from '../support/front-end/serve.js';
import { HOSTILE, LOOK, NEVER, type Seen } from '../support/hostile-content.js';
import { projectRoot } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { calls, latch, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
const attended = { mode: 'react' as const, attended: true };
const write = (path: string) => calls({ name: 'write_file', arguments: { path, content: 'written\n' } });

describe.skipIf(browserPath === null)('front ends', () => {
  const rig = rigOfFile({
    workspace: { 'a.txt': 'alpha\n' },
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
    },
  });
  const shown = consoleOfFile(rig);
  let served: FrontEnds;
  beforeAll(async () => {
    process.env.STEERSMAN_TASK_QUEUE = rig.taskQueue;
    const file = (...path: string[]) => join(projectRoot, ...path);
    served = await serveFrontEnds(
      {
        'react-page': file('examples', 'react-page', 'page.tsx'),
        'use-chat': file('examples', 'use-chat', 'page.tsx'),
        examples: file('test', 'support', 'front-end', 'examples.tsx'),
      },
      { client: shown.client, workspace: rig.project.workspace },
    );
  });
  afterAll(() => served?.close());

  async function open(path: string): Promise<Page> {
    const page = await (await shown.browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    page.on('pageerror', error => process.stderr.write(`${path}: ${error.stack}\n`));
    // The pages start teams; here one role works.
    await page.route(/\/(?:api\/runs|chat)$/, route => {
      const mode = route.request().url().endsWith('chat')
        ? { steersman: { mode: 'react' } }
        : { mode: 'react' };
      return route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), ...mode }) });
    });
    await page.goto(`${served.url}/${path}`);
    return page;
  }

  const say = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  test('R10 a page of React: a goal, its call approved, a word amid the reply, the answer with a component → all in the page', async () => {
    const held = latch();
    const answer = JSON.stringify({
      type: 'component',
      component: 'todo-list',
      todos: [{ description: 'Furl the sail' }],
    });
    const script = rig.play((_request, index) => {
      if (index === 0) return write('by-react.txt');
      return index === 1
        ? {
            text: `Half of it. ${'And more. '.repeat(30)}`,
            chunkChars: 20,
            hold: { until: held.until, atChunk: 3 },
            ...calls({ name: 'read_text_file', arguments: { path: 'a.txt' } }),
          }
        : { text: answer };
    });
    const page = await open('react-page');
    await say(page, 'Write a file.');
    await page.getByText('Write a file.').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('[aria-busy=true]').getByText('Half of it.').waitFor();
    expect(existsSync(join(rig.project.workspace, 'by-react.txt'))).toBe(true);
    await say(page, 'Mind the lighthouse.');
    await page.getByText('Mind the lighthouse.').waitFor();
    held.open();
    await page.getByText('Furl the sail').first().waitFor();
    expect(JSON.stringify(script.requests.at(-1))).toContain('Mind the lighthouse.');
    await page.getByText('live', { exact: true }).waitFor();
    await page.context().close();
  });

  test('R10 a page of React: stopped, and loaded again → the run is stopped, and the page has its conversation', async () => {
    const held = latch();
    rig.play(async () => {
      await held.until;
      return { text: 'Too late.' };
    });
    const page = await open('react-page');
    await say(page, 'Look around.');
    const stop = page.getByRole('button', { name: 'Stop' });
    await until('the run is there', () => stop.isEnabled());
    const id = new URL(page.url()).hash.slice(1);
    await stop.click();
    const { outcome } = await (await shown.client.attach(id)).result();
    expect(outcome).toBe('stopped');
    held.open();
    await page.reload();
    await page.getByText('Look around.').waitFor();
    expect(await stop.isDisabled()).toBe(true);
    await page.context().close();
  });

  test('R10 a page of React: a model that fails, and a person who stops → its question with choices, then why the run failed', async () => {
    rig.play(() => ({ error: { status: 401, message: 'The key is of another house.' } }));
    const page = await open('react-page');
    await say(page, 'Look around.');
    await page.getByRole('button', { name: 'retry' }).waitFor();
    await page.getByRole('button', { name: 'stop', exact: true }).click();
    await page.locator('footer', { hasText: 'of another house' }).waitFor();
    await page.context().close();
  });

  test('useChat: a message, its call approved, the answer; loaded again amid the next → one message each, and nothing twice', async () => {
    const held = latch();
    const script = rig.play(async (_request, index) => {
      if (index === 0) return write('by-chat.txt');
      if (index === 1) return { text: 'It stands in the file.' };
      if (index === 2) return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
      await held.until;
      return { text: 'It says alpha.' };
    });
    const page = await open('use-chat');
    await say(page, 'Write a file.');
    await page.getByText('write_file: approval-requested').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It stands in the file.').waitFor();
    await page.getByText('write_file: output-available').waitFor();
    await page.getByText('ready').waitFor();
    expect(existsSync(join(rig.project.workspace, 'by-chat.txt'))).toBe(true);
    expect(await page.locator('section').count()).toBe(2);
    await say(page, 'Read the other.');
    await page.getByText('read_text_file: output-available').waitFor();
    await script.arrived(3);
    await page.reload();
    await page.getByText('read_text_file: output-available').waitFor();
    held.open();
    await page.getByText('It says alpha.').waitFor();
    await page.getByText('ready').waitFor();
    expect(await page.locator('section').count()).toBe(4);
    expect(await page.getByText('read_text_file: output-available').count()).toBe(1);
    await page.context().close();
  });

  const GET = async (path: string) => {
    const response = await fetch(`${served.url}/chat/${path}`);
    return { status: response.status, text: await response.text() };
  };
  const post = (body: unknown) =>
    fetch(`${served.url}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const user = (text: string) => ({ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] });

  test('POST /chat: what is no request, an answer again, a chat that is not known → refused, or nothing', async () => {
    const statuses = [
      await post({ id: 'with blanks in it', messages: [] }),
      await post({ id: 'c', messages: [user('x')], trigger: 'regenerate-message' }),
      await post({ id: 'c', messages: [user('x')], steersman: { unknown: true } }),
      await fetch(`${served.url}/chat`, {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      }),
      await fetch(`${served.url}/chat`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', origin: 'http://other.example' },
      }),
      await fetch(new URL('/chat/x/stream', shown.url)),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 400, 415, 403, 401]);
    expect(await GET('nobody/stream')).toEqual({ status: 204, text: '' });
  });

  test('POST /chat: a role asks, and the next request has the answer of its gate → the role reads it', async () => {
    const question = { question: 'Which port?', options: ['Lagos', 'Cadiz'] };
    const script = rig.play((_request, index) =>
      index === 0 ? calls({ name: 'ask_person', arguments: question }) : { text: 'To Cadiz then.' },
    );
    const id = `chat-${randomUUID().slice(0, 8)}`;
    const messages = [user('Sail.')];
    const steersman = { mode: 'react' };
    const asked = await (await post({ id, messages, steersman })).text();
    const [, gate = ''] = /"type":"data-gate","id":"([^"]+)"/.exec(asked) ?? [];
    expect(asked).toContain('Which port?');
    const answers = [{ id: gate, payload: { text: 'B' } }];
    const assistant = { id: 'a', role: 'assistant', parts: [] };
    const after = await (await post({ id, messages: [...messages, assistant], answers })).text();
    expect(after).toContain(`"data":{"id":"${gate}","closed":true}`);
    expect(after).toContain('To Cadiz then.');
    expect(JSON.stringify(script.requests.at(-1)?.sent)).toContain('Cadiz');
  });

  test('POST /chat: one message twice at once, again after its end, and another while its run is paused → one effect each', async () => {
    const held = latch();
    const script = rig.play(async (_request, index) => {
      if (index === 0) return { text: 'It was said once.' };
      if (index > 1) return { text: 'It was read.' };
      await held.until;
      return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
    });
    const id = `chat-${randomUUID().slice(0, 8)}`;
    const first = { id, messages: [user('Say it.')], steersman: { mode: 'react' } };
    const told = await Promise.all([post(first), post(first)].map(async answer => (await answer).text()));
    for (const text of told) expect(text).toContain('It was said once.');
    expect(await (await post(first)).text()).toContain('"type":"finish"');
    expect(script.requests).toHaveLength(1);
    const more = [...first.messages, { id: 'a', role: 'assistant', parts: [] }, user('Look.')];
    const second = post({ ...first, messages: more });
    await script.arrived(1);
    const run = await shown.client.attach(`${id}~2`);
    await run.pause();
    const late = { ...first, messages: [...more, user('Mind the pier.')] };
    const third = [post(late), post(late)];
    held.open();
    await until('the run is paused, and has the message', async () => {
      const { paused, inbox } = await run.show();
      return paused && (inbox ?? []).length > 0;
    });
    expect((await run.show()).inbox).toHaveLength(1);
    await run.resume();
    for (const answer of [second, ...third]) expect(await (await answer).text()).toContain('It was read.');
    const last = JSON.stringify(script.requests.at(-1)?.sent);
    expect(last.split('Mind the pier.')).toHaveLength(2);
    expect(script.requests).toHaveLength(3);
  });

  test('GET /chat/{id}/stream: a run that ended days ago, from an event on → its message again, and the end', async () => {
    rig.play((_request, index) =>
      index === 0
        ? calls({ name: 'read_text_file', arguments: { path: 'a.txt' } })
        : { text: 'It says alpha.' },
    );
    const id = `chat-${randomUUID().slice(0, 8)}`;
    const first = await (
      await post({ id, messages: [user('Read it.')], steersman: { mode: 'react' } })
    ).text();
    expect(first).toContain('"since":0');
    expect(first).toContain('"toolName":"read_text_file"');
    expect(first.trim().endsWith('data: [DONE]')).toBe(true);
    const { text: again } = await GET(`${id}/stream?since=0&message=m-1`);
    expect(again).toContain('{"type":"start","messageId":"m-1"}');
    expect(again.match(/"type":"tool-input-available"/g)).toHaveLength(1);
    expect(again).toContain('It says alpha.');
    let since = 0;
    for await (const event of (await shown.client.attach(id)).events())
      if (event.type === 'tool_call_ended') since = event.seq;
    const { text: rest } = await GET(`${id}/stream?since=${since}`);
    expect(rest).not.toContain('tool-input-available');
    expect(rest).toContain('It says alpha.');
    expect(await GET(`${id}/stream`)).toEqual({ status: 204, text: '' });
  });

  describe('what authors write', () => {
    let page: Page;
    beforeAll(async () => {
      page = await open('examples');
      await page.locator('body[data-ready]').waitFor({ state: 'attached' });
    });
    afterAll(() => page?.context().close());
    const run = <T>(code: string) => page.evaluate(code) as Promise<T>;
    const said = () => run<unknown[]>('said.splice(0)');
    const at = () => page.locator('#app');

    test('R9 the four types of content of a result → text, JSON, an element with its slot, a component', async () => {
      await run('contentTypes()');
      await at().getByText('Found:').waitFor();
      await at().getByText('"count": 2').waitFor();
      await at().getByText('Element 123').waitFor();
      await at().getByText('more', { exact: true }).waitFor();
      await at().getByText('A task').waitFor();
    });

    test('R9 a registry: components of React by name, one that fails, and a name that is not there → drawn, a hint each, null', async () => {
      expect(await run('registered()')).toEqual([true, null]);
      await at().getByText('Resource: Harbour').waitFor();
      await at().getByText('Task: Dig').waitFor();
      await at().getByText('There is no component none here.').waitFor();
      await at().getByText('The component dead-card failed. Error: React is out of cards').waitFor();
    });

    test('R9 onClick as a property → a component of React with hooks, and the built-in list, call it with what was clicked', async () => {
      await run('clicks()');
      await at().getByRole('button', { name: 'Furl the sail 0' }).click();
      await at().getByRole('button', { name: 'Furl the sail 1' }).waitFor();
      await at().getByRole('button', { name: 'Cast off' }).click();
      expect(await said()).toEqual(['a', 'Cast off']);
    });

    test('R9 a result that names a handler → the page looks it up, and it gets the resource', async () => {
      await run('toolResult()');
      await at().getByText('Query result:').waitFor();
      await at().getByRole('button', { name: 'Resource 2' }).click();
      expect(await said()).toEqual([{ id: 'res-2', name: 'Resource 2' }]);
    });

    test('R9 R4 the planner’s reply in three pieces → its fields as they come, with a cursor until it is whole', async () => {
      const pieces = [
        '{"type":"component","component":"planner-response","summary":"Planning"',
        ',"todos":[{"id":"task-1","description":"Task one"',
        ',"priority":1}]}',
      ];
      const seen: string[] = [];
      let content = '';
      for (const piece of pieces) {
        content += piece;
        await run(`stream(${JSON.stringify(content)}, ${piece !== pieces.at(-1)})`);
        await until('the piece is parsed', async () => {
          const parsed = (await page.locator('#parsed').textContent()) ?? '';
          return !seen.includes(parsed) && seen.push(parsed) > 0;
        });
        await page.getByText('Planning', { exact: true }).waitFor();
        // Visible in a page without styles, too.
        if (piece !== pieces.at(-1)) await page.locator('.cursor').waitFor();
        if (piece === pieces[1]) await page.getByText('Task one', { exact: true }).waitFor();
        await until(
          'the cursor is right',
          async () => (await page.locator('.cursor').count()) === (piece === pieces.at(-1) ? 0 : 1),
        );
      }
      expect(JSON.parse(seen[1] ?? '')).toMatchObject({ todos: [{ id: 'task-1', description: 'Task one' }] });
    });

    test('R9 whole replies of a planner, an executor and a verifier → read with types, or with their faults', async () => {
      const planned = JSON.stringify({
        ...{ type: 'component', component: 'planner-response', summary: 'A plan.', needsMorePlanning: false },
        todos: [{ id: 'a', description: 'Look', priority: 1, completionCriteria: 'Seen' }],
      });
      const done = execution({ summary: 'It was done.', taskCompleted: true });
      const given = [planned, done, 'no verdict'].map(text => JSON.stringify(text)).join(', ');
      expect(await run(`replies(${given})`)).toEqual([1, 'It was done.', true]);
    });

    test('R11 an event of an element that does not bubble → heard while it is drawn, and not when it is gone', async () => {
      await run('chart()');
      await at().getByText('Chart 123').waitFor();
      await run(`(() => {
        const chart = chartElement();
        const tell = data => chart.dispatchEvent(new CustomEvent('data-update', { detail: { data } }));
        tell(1);
        gone();
        tell(2);
      })()`);
      expect(await said()).toEqual([{ data: 1 }]);
    });

    test('R9 an action that code dispatches at the window → heard until that is ended', async () => {
      await run(`(() => {
        const tell = action => dispatchEvent(new CustomEvent('component-action', { detail: { action, data: { id: 1 } } }));
        const end = hearWindow();
        tell('click');
        end();
        tell('again');
      })()`);
      expect(await said()).toEqual([{ action: 'click', label: 'click', data: { id: 1 } }]);
    });

    test('R9 a component that is registered after it was to be drawn → drawn then', async () => {
      await run('late()');
      await at().getByText('There is no component late-card here.').waitFor();
      await at().getByText('Late', { exact: true }).waitFor();
    });

    test.each([
      ['dead-at-birth', 'dead at birth'],
      ['dead-in-page', 'dead in the page'],
      ['dead-by-attribute', 'dead by an attribute'],
      ['dead-when-asked', 'dead when asked'],
      ['dead-later', 'dead later'],
      ['dead-at-end', null],
    ])(
      'R11 an element that fails, %s → a hint in its place, the rest is drawn, and the next too',
      async (name, fault) => {
        await run(`fails('${name}')`);
        await at().getByText('The rest').waitFor();
        if (fault !== null) await at().locator('.component-hint', { hasText: fault }).waitFor();
        await run(`fails('my-chart')`);
        await at().getByText('The rest').waitFor();
        await until('the hint is gone', async () => (await at().locator('.component-hint').count()) === 0);
      },
    );

    test('K1 C30 hostile content in a page without a policy → no script, no request elsewhere, nothing sent', async () => {
      const asked: string[] = [];
      const hear = (request: { url(): string }) => void asked.push(request.url());
      page.on('request', hear);
      await page.exposeFunction('pwned', (what: unknown) => void asked.push(`pwned ${what}`));
      await run(`says(${JSON.stringify(JSON.stringify({ content: Object.values(HOSTILE) }))})`);
      await at().locator('[data-component="spread-card"]').first().waitFor();
      await until('the HTML is drawn', async () => (await at().locator('.made').count()) > 20);
      const seen = await page.evaluate<Seen[]>(LOOK);
      expect(seen.length).toBeGreaterThan(100);
      expect(seen.filter(({ tag }) => NEVER.test(tag))).toEqual([]);
      const attributes = new Set(seen.flatMap(each => each.attributes));
      expect([...attributes].filter(name => /^(on|src|style|id$|name$|is$|form)/.test(name))).toEqual([]);
      expect(seen.filter(({ href }) => href !== null && !/^(https?|mailto):/.test(href))).toEqual([]);
      expect(asked.filter(url => !url.startsWith(served.url))).toEqual([]);
      expect(await said()).toEqual([]);
      page.off('request', hear);
    });

    test('R10 what a model thinks → in the page while it comes, and after', async () => {
      const held = latch();
      rig.play((_request, index) =>
        index === 0
          ? {
              reasoning: 'The tide is low. '.repeat(10),
              ...calls({ name: 'read_text_file', arguments: { path: 'a.txt' } }),
            }
          : {
              reasoning: 'It will rise. '.repeat(10),
              text: 'Sail.',
              hold: { until: held.until, atChunk: 4 },
              chunkChars: 20,
            },
      );
      const { workflowId } = await rig.start('When?', attended);
      await run(`thinking(${JSON.stringify(workflowId)})`);
      await page.locator('q', { hasText: 'The tide is low.' }).waitFor();
      await page.locator('em', { hasText: 'It will rise.' }).waitFor();
      held.open();
      await page.locator('q', { hasText: 'It will rise.' }).waitFor();
    });

    test('a tool that the page runs → its arguments come to the page, its result to the role', async () => {
      const script = rig.play((_request, index) =>
        index === 0
          ? calls({ name: 'get_system_info', arguments: { include_details: true } })
          : { text: 'It is a browser.' },
      );
      const told = await run(`ownTool('chat-${randomUUID().slice(0, 8)}')`);
      expect(told).toEqual(['user: text', expect.stringMatching(/^assistant: .*dynamic-tool.*text/)]);
      expect(await said()).toEqual([{ toolName: 'get_system_info', input: { include_details: true } }]);
      expect(JSON.stringify(script.requests.at(-1)?.sent)).toContain('a browser');
    });

    test('R10 calls of tools: one that works and one that fails → in the page with their arguments and results; the run goes on', async () => {
      rig.play((_request, index) => {
        if (index === 0) return calls({ name: 'read_text_file', arguments: { path: 'a.txt' } });
        return index === 1
          ? calls({ name: 'read_text_file', arguments: { path: 'missing.txt' } })
          : { text: 'One of them.' };
      });
      const { workflowId } = await rig.start('Read them.', attended);
      await run(`toolCalls(${JSON.stringify(workflowId)})`);
      await page.locator('li.done', { hasText: 'alpha' }).waitFor();
      await page.locator('li.failed', { hasText: 'missing.txt' }).waitFor();
      await page.getByText('ended', { exact: true }).waitFor();
    });
  });
});
