/** Every page of the console for people who do not see it, or use no pointer: axe, the keyboard, and what is spoken. In Chromium. */
import { join } from 'node:path';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { shippedServers } from '../support/project.js';
import { type Rig, startTemporal } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { byRole, calls, content, planned, reported, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const fake = fakeMcp();
// After the rig's own end.
afterAll(() => fake.remove());

const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact', write, run]
---
{{businessContext}}
`;
const react = { mode: 'react' as const, attended: true };
const edits = [{ oldText: 'beta', newText: 'gamma' }];
const write = (path: string) => ({ name: 'write', arguments: { path, content: 'It **stands**.\n' } });
const refused: ScriptedReply = { error: { status: 400, message: 'Not this way.' } };
const done: ScriptedReply = {
  text: 'It is **done**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code` and [more](https://example.org).',
};

interface Play {
  settings: Partial<RunSettings>;
  replies: ScriptedReply[] | Record<string, ScriptedReply[]>;
}

/** Runs that stay at a gate of each kind of card. */
const WAITING: Record<string, Play> = {
  edit: { settings: react, replies: [calls({ name: 'edit', arguments: { path: 'a.txt', edits } })] },
  command: { settings: react, replies: [calls({ name: 'run', arguments: { command: 'npm test' } })] },
  group: { settings: react, replies: [calls(write('one.txt'), write('two.txt'))] },
  form: {
    settings: { ...react, autoApprove: true },
    replies: [calls({ name: 'fake__order', arguments: {} })],
  },
  question: {
    settings: react,
    replies: [calls({ name: 'ask_person', arguments: { question: 'Which port?', options: ['80', '8080'] } })],
  },
  plan: {
    settings: { attended: true, approvePlan: true },
    replies: { planner: [{ text: plan({ todos: ['Paint the hull', 'Paint the mast'] }) }] },
  },
  failure: { settings: { attended: true }, replies: { planner: [refused] } },
};

/** Runs that have ended, and together have something in each view. */
const ENDED: Record<string, Play> = {
  writer: {
    settings: { ...react, role: 'writer', autoApprove: true },
    replies: [
      calls(write('made.txt'), {
        name: 'create_artifact',
        arguments: { id: 'report', type: 'markdown', content: '# All' },
      }),
      calls({ name: 'run', arguments: { command: 'echo x > by-command.txt; false' } }),
      done,
    ],
  },
  lead: {
    settings: { mode: 'lead' },
    replies: {
      lead: [
        calls({ name: 'call_subagent', arguments: { agent_name: 'search', instruction: 'Count.' } }),
        done,
      ],
      search: [{ text: 'Three.' }],
    },
  },
  team: {
    settings: {},
    replies: { planner: [planned], executor: [reported()], verifier: [content] },
  },
};

const scripts = new Map(
  Object.entries({ ...WAITING, ...ENDED }).map(([name, { replies }]) => {
    let next = 0;
    return [name, Array.isArray(replies) ? () => replies[next++] ?? refused : byRole(replies)] as const;
  }),
);
const goalOf = (name: string) => `The goal named ${name}.`;

const rig = rigOfFile({
  workspace: { 'a.txt': 'alpha\nbeta\n' },
  config: {
    'prompts/core/writer.md': WRITER,
    'steersman.yaml': settingsYaml('steering: note'),
    '.mcp.json': JSON.stringify({
      mcpServers: { ...JSON.parse(shippedServers()['.mcp.json'] ?? '').mcpServers, fake: fake.stdioEntry() },
    }),
  },
  reply: (request, index) => {
    const said = JSON.stringify(request.body.messages);
    const [, script] = [...scripts].find(([name]) => said.includes(goalOf(name))) ?? [];
    // A sub-agent has an instruction of its own.
    return (script ?? scripts.get('lead'))?.(request, index) ?? refused;
  },
});
// Conversations are read from the worker's store.
const shown = consoleOfFile(rig, { homeOf: () => join(rig.project.dir, 'home') });
/** On a Temporal of its own: that of the process has the runs of earlier test files. */
const empty = {} as Pick<Rig, 'env'>;
beforeAll(async () => {
  empty.env = await startTemporal();
});
afterAll(() => empty.env.teardown());
const shownEmpty = consoleOfFile(empty);
const shows = test.skipIf(browserPath === null);

const LOOKS = [1_280, 390].flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ width, colorScheme })),
);

/** Faults that axe finds on the page as it is, in both sizes and schemes: rule, element, look. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>(
      'axe.run(document, { resultTypes: ["violations"] })',
    );
    for (const { id, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        faults.push(
          `${name} ${width} ${colorScheme}: ${id}: ${html.slice(0, 200)} ${failureSummary?.replace(/\s+/g, ' ')}`,
        );
  }
  return faults;
}

/** Runs in the page: how many lists are narrower than their words. */
function cutLists(lists: (HTMLElement | SVGElement)[]): number {
  return lists.filter(list => {
    const { clientWidth } = list;
    list.style.cssText = 'flex: none; max-width: none';
    const isWider = list.clientWidth > clientWidth;
    list.style.cssText = '';
    return isWider;
  }).length;
}

const start = (name: string, { settings }: Play) => rig.start(goalOf(name), settings);

shows(
  'axe on the first page and on the list without a run → nothing; both say what will be there',
  async () => {
    const page = await shownEmpty.open();
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByText('No run yet. Type a goal above').waitFor();
    expect(await faultsOf(page, 'home')).toEqual([]);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('No run and no conversation yet.').waitFor();
    expect(await faultsOf(page, 'runs')).toEqual([]);
    await page.context().close();
  },
);

shows('axe on each view of runs that have ended, on the lists and on a conversation → nothing', async () => {
  const faults: string[] = [];
  const page = await shown.open();
  const look = async (name: string, path: string, ready: Locator) => {
    await page.goto(`${shown.url}${path}`);
    await ready.first().waitFor();
    faults.push(...(await faultsOf(page, name)));
  };
  const summary = page.locator('details.artifact > summary');
  for (const [name, play] of Object.entries(ENDED)) {
    const run = await start(name, play);
    await run.result();
    const at = `runs/${encodeURIComponent(run.workflowId)}`;
    await look(`${name} conversation`, at, page.locator('.entry.answer'));
    if (name === 'writer') {
      for (const call of await page.locator('details.tool > summary').all()) await call.click();
      await page.locator('.tool-body').first().waitFor();
      faults.push(...(await faultsOf(page, 'calls in the conversation')));
      await look('files', `${at}#files`, summary);
      await summary.first().click();
      faults.push(...(await faultsOf(page, 'file')));
      await look('artifacts', `${at}#artifacts`, page.getByText('report'));
      await look('timeline', `${at}#timeline`, page.locator('.timeline svg'));
      await look('calls', `${at}#modelCalls`, summary);
      await summary.first().click();
      await page.getByText(/^System text, /).waitFor();
      faults.push(...(await faultsOf(page, 'call')));
    }
    if (name === 'lead') await look('agents', `${at}#agents`, page.getByText('search/1'));
    if (name === 'team') {
      await page.setViewportSize({ width: 390, height: 800 });
      await look('plan', `${at}#plan`, page.getByText('Do it'));
      await look('session', `sessions/${encodeURIComponent(run.workflowId)}`, page.getByText(goalOf('team')));
    }
  }
  await look('runs', 'runs', page.locator('.row'));
  await look('home', '', page.locator('.row'));
  await page.locator('.spent-fold > summary').click();
  await page.locator('.start details > summary').click();
  await page.getByLabel('Tokens').waitFor();
  faults.push(...(await faultsOf(page, 'home opened')));
  await page.getByRole('button', { name: 'Keys' }).click();
  faults.push(...(await faultsOf(page, 'keys')));
  expect(faults).toEqual([]);
  await page.context().close();
});

shows(
  'cards of each kind → axe finds nothing; each is spoken when it opens, and answered by keys alone',
  async () => {
    const page = await shown.open();
    // Gates that are there when the page opens are shown, not spoken.
    await page.getByText('Nothing waits for you.').waitFor();
    const faults: string[] = [];
    const spoken = page.locator('p[role=status][aria-live=assertive]');
    const runs = new Map<string, Awaited<ReturnType<typeof start>>>();
    for (const [name, play] of Object.entries(WAITING)) {
      const run = await start(name, play);
      runs.set(name, run);
      const card = page.locator(`[data-gate^="${run.workflowId} "]`);
      await card.locator('.answers button').first().waitFor();
      const title = await card.locator('h2').innerText();
      await until(`${name} is spoken`, async () => (await spoken.innerText()).includes(title));
      await page.goto(`${shown.url}runs/${encodeURIComponent(run.workflowId)}`);
      await card.locator('.answers button').first().waitFor();
      faults.push(...(await faultsOf(page, name)));
      // At 390 pixels, the last look.
      const cut = await page.locator('.composer select').evaluateAll(cutLists);
      if (cut > 0) faults.push(`${name}: ${cut} lists of the composer are cut`);
      const edit = card.getByRole('button', { name: /^Edit/ });
      if (name === 'edit' || name === 'plan') {
        await until('it is edited', async () => {
          await edit.click({ timeout: 1_000 }).catch(() => undefined);
          return card.locator('textarea, input.reason').first().isVisible();
        });
        faults.push(...(await faultsOf(page, `${name} edited`)));
      }
      await page.goto(shown.url);
      await page.locator('[data-gate]').first().waitFor();
    }
    faults.push(...(await faultsOf(page, 'home full')));
    expect(faults).toEqual([]);
    const run = runs.get('command');
    if (!run) throw new Error('it was started');
    const isThere = () =>
      page.evaluate<boolean>(`document.activeElement?.dataset.gate?.startsWith('${run.workflowId} ')`);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await until('the card has the focus', async () => {
      await page.keyboard.press('j');
      return isThere();
    });
    await until('its button has the focus', async () => {
      await page.keyboard.press('Tab');
      return page.evaluate<boolean>(`document.activeElement?.textContent === 'Approve'`);
    });
    await until('the gate is closed', async () => {
      await page.keyboard.press('Enter');
      return (await eventsOf(run, 'gate_closed')).length > 0;
    });
    await Promise.all([...runs.values()].map(each => each.cancel()));
    await page.context().close();
  },
);
