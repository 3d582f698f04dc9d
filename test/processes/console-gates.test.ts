/** Each kind of gate on the page of what waits, answered by a click, in Chromium. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { execution, plan } from '../../packages/test-kit/role-outputs.js';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import { steerSignal } from '../../src/workflows/run/definitions.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import type { ChatRequest, ScriptedReply } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import {
  byRole,
  calls,
  clarification,
  content,
  intent,
  latch,
  planned,
  reported,
  route,
  settingsYaml,
  steeringPrompts,
} from '../support/steering.js';
import { until } from '../support/wait.js';

interface Row {
  settings?: Partial<RunSettings>;
  script: Parameters<typeof byRole>[0];
  /** Clicks a person makes. */
  act: (card: Locator) => Promise<void>;
  /** How the gate is closed then. */
  decision: string;
  /** What a model reads of the answer. */
  heard?: string;
}

const fake = fakeMcp();
const click = (name: string) => (card: Locator) =>
  card.getByRole('button', { name, exact: true }).click({ timeout: 1_000 });
const refused: ScriptedReply = { error: { status: 400, message: 'Not this way.' } };
const gaveUp: ScriptedReply = {
  text: execution({ summary: 'There is no such file.', taskCompleted: false, shouldContinue: false }),
};
const append = calls({ name: 'append_line', arguments: { file: `${fake.dir}/lines.txt`, line: 'a' } });
const crew = {
  name: 'ask_crew',
  description: 'Asks the crew.',
  inputSchema: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
};
const held = latch();

const ROWS: Record<string, Row> = {
  approval: {
    script: { planner: [planned], executor: [append, reported()], verifier: () => content },
    act: click('Approve'),
    decision: 'approve',
  },
  plan: {
    settings: { approvePlan: true },
    script: {
      planner: [{ text: plan({ todos: ['Paint the hull', 'Paint the mast'] }) }],
      executor: () => reported(),
      verifier: () => content,
    },
    act: async card => {
      if (await card.getByRole('button', { name: 'Edit the plan', exact: true }).isVisible())
        await click('Edit the plan')(card);
      const remove = card.getByRole('button', { name: 'Remove', exact: true });
      if ((await remove.count()) > 1) await remove.last().click({ timeout: 1_000 });
      await click('Save the plan')(card);
    },
    decision: 'edit',
  },
  question: {
    script: {
      planner: [clarification('Which boat?'), planned],
      executor: () => reported(),
      verifier: () => content,
    },
    act: async card => {
      await card.getByRole('textbox', { name: 'Answer' }).fill('The blue one.');
      await click('Send')(card);
    },
    decision: 'The blue one.',
  },
  form: {
    settings: { autoApprove: true },
    script: {
      planner: [planned],
      executor: [calls({ name: 'order', arguments: {} }), reported()],
      verifier: () => content,
    },
    act: async card => {
      await card.getByLabel('Size').fill('4');
      await click('Submit')(card);
    },
    decision: 'accept',
  },
  clientTool: {
    settings: { clientTools: [crew] },
    script: {
      planner: [planned],
      executor: [calls({ name: 'ask_crew', arguments: { question: 'Ready?' } }), reported()],
      verifier: () => content,
    },
    act: async card => {
      await card.getByRole('textbox', { name: 'Result' }).fill('Aye.');
      await click('Give the result')(card);
    },
    decision: 'result',
  },
  budget: {
    settings: { limits: { turns: 2 } },
    script: { planner: [planned], executor: () => reported(), verifier: () => content },
    act: async card => {
      await card.getByLabel('Raise to').fill('9');
      await click('Raise')(card);
    },
    decision: 'raise',
  },
  failure: {
    script: { planner: [refused, planned], executor: () => reported(), verifier: () => content },
    act: click('Try again'),
    decision: 'retry',
  },
  step: {
    settings: { mode: 'plan', approvePlan: false, onStepFailure: 'ask' },
    script: {
      planner: [{ text: plan({ todos: ['Paint the hull', 'Paint the mast'] }) }],
      executor: [gaveUp, reported()],
      summary: [{ text: 'One of two came about.' }],
    },
    act: click('Skip the task'),
    decision: 'skip',
  },
  route: {
    script: {
      planner: [planned, planned],
      executor: (_request, nth) =>
        nth === 0 ? { text: 'Still painting.', hold: { until: held.until } } : reported(),
      understanding: [intent('same_task_major_change')],
      router: [route('full_replan')],
      verifier: () => content,
    },
    act: async card => {
      await card.getByLabel('Reason').fill('Keep the mast.', { timeout: 1_000 });
      await click('Approve')(card);
    },
    decision: 'approve',
    heard: 'Keep the mast.',
  },
};

describe.skipIf(browserPath === null)('gates', () => {
  afterAll(() => fake.remove());
  const scripts = new Map<string, (request: ChatRequest, index: number) => ScriptedReply>();
  const requests: string[] = [];
  const rig = rigOfFile({
    config: {
      ...steeringPrompts(),
      'steersman.yaml': settingsYaml('gates: { onBudget: ask }'),
      '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    },
    reply: (request, index) => {
      const said = JSON.stringify(request.body.messages);
      requests.push(said);
      const [, script] = [...scripts].find(([goal]) => said.includes(goal)) ?? [];
      return script?.(request, index) ?? refused;
    },
  });
  const shown = consoleOfFile(rig);
  let page: Page | null = null;

  test.each(Object.entries(ROWS))(
    '%s → its form on the page of what waits, answered by a click',
    async (kind, row) => {
      const goal = `Goal with ${kind}.`;
      scripts.set(goal, byRole(row.script));
      const run = await rig.start(goal, { attended: true, ...row.settings });
      if (kind === 'route') {
        await until('it paints', async () => (await eventsOf(run, 'model_call_started')).length > 1);
        await run.signal(steerSignal, { id: 'm1', text: 'In red, please.' });
        held.open();
      }
      page ??= await shown.open();
      const card = page.locator(`[data-gate^="${run.workflowId} "]`);
      await card.waitFor();
      // Its buttons are dead for the first half second.
      const closed = await until('the gate is closed', async () => {
        await row.act(card).catch(() => undefined);
        return (await eventsOf(run, 'gate_closed'))[0];
      });
      expect(closed).toMatchObject({ kind, by: 'person', decision: expect.stringContaining(row.decision) });
      await card.waitFor({ state: 'detached' });
      await run.result();
      const { heard } = row;
      if (heard !== undefined) expect(requests.some(said => said.includes(heard))).toBe(true);
    },
  );
});
