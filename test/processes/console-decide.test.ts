/** What a person decides on the page is what they have seen, in Chromium. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolTexts } from '../support/run-views.js';
import { byRole, calls, content, latch, openGateOf, reported, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
const attended = { mode: 'react' as const, attended: true };
const tags = (text: string) =>
  [...text].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
const asks = (question: string, options: string[] = []) =>
  calls({ name: 'ask_person', arguments: { question, options } });

describe.skipIf(browserPath === null)('deciding', () => {
  const rig = rigOfFile({
    config: {
      'steersman.yaml': settingsYaml('steering: note'),
      '.mcp.json': JSON.stringify({ mcpServers: { filesystem } }),
    },
  });
  const shown = consoleOfFile(rig);
  const cardOf = (page: Page, run: { workflowId: string }) =>
    page.locator(`[data-gate^="${run.workflowId} "]`);
  const button = (card: Locator, name: string) => card.getByRole('button', { name, exact: true });
  const closedOf = (run: Parameters<typeof eventsOf>[0]) => eventsOf(run, 'gate_closed');

  /** Buttons are dead for half a second after they came or moved. */
  async function clicked(run: Parameters<typeof eventsOf>[0], act: () => Promise<void>) {
    const { length } = await closedOf(run);
    return until('the gate is closed', async () => {
      await act().catch(() => undefined);
      return (await closedOf(run))[length];
    });
  }

  test('WB7 an option that hides what it says → its button shows it, and that is what is answered', async () => {
    const script = rig.play([
      asks('The disk is full.', [`Keep the backup${tags(' - no, delete it')}`]),
      { text: 'Done.' },
    ]);
    const run = await rig.start('Ask with tags.', attended);
    const page = await shown.open();
    const card = cardOf(page, run);
    const name = 'Keep the backup‹hidden: - no, delete it›';
    await clicked(run, () => button(card, name).click({ timeout: 1_000 }));
    await run.result();
    expect(toolTexts(script.requests[1])).toEqual([`The person says: ${name}`]);
    await page.context().close();
  });

  test('a click on what has just come → it does not count, and the page says so; the next one counts', async () => {
    rig.play([asks('Which port?', ['8080', '9090']), { text: 'Done.' }]);
    const run = await rig.start('Ask at once.', attended);
    const page = await shown.open(run.workflowId);
    const card = cardOf(page, run);
    await button(card, '8080').waitFor();
    // At this time whatever is shown has just come.
    await page.evaluate('void (performance.now = () => 0)');
    const before = await button(card, '8080').boundingBox();
    await button(card, '8080').click();
    await card.getByText('the click did not count').waitFor();
    // A line of its own below would move the buttons, under the pointer.
    expect(await button(card, '8080').boundingBox()).toEqual(before);
    expect(await closedOf(run)).toEqual([]);
    await page.evaluate('delete performance.now');
    await clicked(run, () => button(card, '9090').click({ timeout: 1_000 }));
    await run.result();
    await page.context().close();
  });

  test('WB3 a figure is typed where options are buttons → it is the answer, and no place in their list', async () => {
    const script = rig.play([asks('How many shall I delete?', ['None', 'All of them']), { text: 'Done.' }]);
    const run = await rig.start('Ask how many.', attended);
    const page = await shown.open();
    const card = cardOf(page, run);
    await card.getByRole('textbox').fill('2');
    // Its words are the title, and its options are buttons: nothing is left for a body, which would be a stop of the keyboard.
    expect(await card.locator('.gate-body').count()).toBe(0);
    await clicked(run, () => button(card, 'Send').click({ timeout: 1_000 }));
    await run.result();
    expect(toolTexts(script.requests[1])).toEqual(['The person says: 2']);
    await page.context().close();
  });

  test('WB2 a question of 6 KB that would be a table of a million cells → drawn as it is, and another gate is answered beside it', async () => {
    const table = `${'|a'.repeat(1_000)}|\n${'|-'.repeat(1_000)}|\n${'|\n'.repeat(900)}`;
    rig.play(({ body }) => {
      if (JSON.stringify(body.messages).includes('The person says')) return { text: 'Done.' };
      return JSON.stringify(body.messages).includes('Ask widely.') ? asks(table) : asks('Which port?');
    });
    const wide = await rig.start('Ask widely.', attended);
    const run = await rig.start('Ask shortly.', attended);
    await Promise.all([wide, run].map(each => openGateOf(each, 'question')));
    const page = await shown.open();
    await cardOf(page, wide).waitFor();
    expect(await cardOf(page, wide).locator('*').count()).toBeLessThan(100);
    const card = cardOf(page, run);
    await card.getByRole('textbox').fill('Faro');
    await clicked(run, () => button(card, 'Send').click({ timeout: 1_000 }));
    await run.result();
    await wide.cancel();
    await page.context().close();
  });

  test('WB4 the plan is changed elsewhere while its gate stands on the page, and while it is edited there → the new plan is shown, and nothing of the old one is approved', async () => {
    rig.play(
      byRole({
        planner: [{ text: plan({ todos: ['Paint the hull', 'Paint the mast'] }) }],
        executor: () => reported(),
        verifier: () => content,
      }),
    );
    const handle = await rig.start('Paint the boat.', { attended: true, approvePlan: true });
    const run = await shown.client.attach(handle.workflowId);
    const first = await openGateOf(handle, 'plan');
    const page = await shown.open();
    const card = cardOf(page, handle);
    await button(card, 'Edit the plan').waitFor();
    await until('the editor is open', async () => {
      await button(card, 'Edit the plan')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return button(card, 'Save the plan').isVisible();
    });
    // FC6: the plan stands there once.
    expect(await card.locator('.gate-body').isVisible()).toBe(false);
    const [task] = (await run.show()).tasks;
    await run.editPlan([{ id: task?.id ?? '', description: 'Burn the hull' }]);
    await card.getByText('Burn the hull').first().waitFor();
    expect(await button(card, 'Save the plan').count()).toBe(0);
    await expect(run.answerGate(first.id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('the plan was changed'),
    });
    await clicked(handle, () => button(card, 'Approve the plan').click({ timeout: 1_000 }));
    await handle.result();
    expect(await closedOf(handle)).toMatchObject([
      { gateId: first.id, by: 'superseded' },
      { by: 'person', decision: 'approve' },
    ]);
    await page.context().close();
  });

  test('WB14 an edit of arguments that was discarded → it comes back with no reload, and goes with no Always', async () => {
    const write = calls({ name: 'write_file', arguments: { path: 'a.txt', content: 'mine' } });
    rig.play((_request, index) => (index === 0 ? write : { text: 'Done.' }));
    const run = await rig.start('Write it.', attended);
    const page = await shown.open();
    const card = cardOf(page, run);
    const edit = 'Edit';
    await until('it is edited', async () => {
      await button(card, edit)
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return card.getByLabel('path').isVisible();
    });
    await card.getByLabel('path').fill('b.txt');
    await card.getByLabel('content').fill('other');
    expect(await button(card, 'Always in this run').count()).toBe(0);
    await until('it is discarded', async () => {
      await button(card, 'As it was')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return !(await card.getByLabel('path').isVisible());
    });
    await page.reload();
    await button(card, edit).waitFor();
    expect(await card.locator('textarea').count()).toBe(0);
    await clicked(run, () => button(card, 'Always in this run').click({ timeout: 1_000 }));
    await run.result();
    expect(await eventsOf(run, 'tool_call_started')).toMatchObject([
      { arguments: expect.stringContaining('a.txt') },
    ]);
    await page.context().close();
  });

  /** Whether the whole of it stands in the window, and nothing lies on it. */
  const isSeen = (element: Locator) =>
    element.evaluate(each => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return each.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    });

  test('FC5 much is said at once, then a gate opens → its buttons are in sight; a person who scrolls up is left there, and told of the gate', async () => {
    const held = latch();
    const long = Array.from({ length: 150 }, (_, at) => `Paragraph ${at}.`).join('\n\n');
    const write = (path: string) => calls({ name: 'write_file', arguments: { path, content: 'x' } });
    rig.play(async (_request, index) => {
      if (index === 1) await held.until;
      if (index === 2) return { text: 'Done.' };
      return { ...write(`${index}.txt`), text: long };
    });
    const run = await rig.start('Say much.', attended);
    const page = await shown.open(run.workflowId);
    const card = cardOf(page, run);
    await button(card, 'Approve').waitFor();
    await until('the button is in sight', () => isSeen(button(card, 'Approve')));
    await clicked(run, () => button(card, 'Approve').click({ timeout: 1_000 }));
    await card.waitFor({ state: 'detached' });
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -2_000);
    await until('it is scrolled up', () =>
      page.evaluate(() => scrollY + innerHeight < document.body.scrollHeight - 500),
    );
    held.open();
    await button(card, 'Approve').waitFor();
    expect(await isSeen(button(card, 'Approve'))).toBe(false);
    const notice = page.locator('.gate-notice');
    await notice.getByText('further down: 1').waitFor();
    await notice.getByRole('button').click();
    await until('the button is in sight', () => isSeen(button(card, 'Approve')));
    await notice.waitFor({ state: 'hidden' });
    await clicked(run, () => button(card, 'Approve').click({ timeout: 1_000 }));
    await run.result();
    await page.context().close();
  });
});
