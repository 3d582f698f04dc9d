import { expect, test } from 'vitest';
import { answerGateUpdate, type RunResult } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, toolSteps, toolTexts } from '../support/run-views.js';
import { answer, calls, openGateOf, settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({ config: { 'steersman.yaml': settingsYaml('steering: note') } });

const asks = (question = 'Which port?') =>
  calls({ name: 'ask_person', arguments: { question, options: ['Lagos', 'Cadiz'] } });
const done = { text: 'Cadiz it is.' };

test('ask_person: a role asks with options, the client answers with one of them, the run continues as new at every safe point → its result is the option as the person’s word; the same words are a question again (F17, WK8)', async () => {
  const script = rig.play([asks(), asks(), done]);
  const handle = await rig.start('Plan the trip.', {
    mode: 'react',
    attended: true,
    continueAsNew: 'every-safe-point',
  });
  const gate = await openGateOf(handle, 'question');
  expect(gate).toMatchObject({
    title: 'Which port?',
    body: 'Which port?',
    subject: { role: 'react', options: ['Lagos', 'Cadiz'] },
  });
  await answer(handle, 'question', { text: 'Cadiz' });
  await until('the second question', async () => {
    const { id } = await openGateOf(handle, 'question');
    return id !== gate.id;
  });
  await answer(handle, 'question', { text: 'Lagos' });
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ cause: 'direct_answer', text: 'Cadiz it is.' });
  expect(toolTexts(script.requests[1])).toEqual(['The person says: Cadiz']);
  // It may be about another file.
  expect(toolSteps(result).map(({ ending }) => ending)).toEqual(['executed', 'executed']);
  expect(toolTexts(script.requests[2])[1]).toContain('The person says: Lagos');
  expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ decision: 'Cadiz' }, { decision: 'Lagos' }]);
});

test('ask_person: nobody attends the run → it is told at once to decide itself, and answers (F17)', async () => {
  const script = rig.play([asks(), done]);
  const { result } = await rig.run('Plan the trip.', { mode: 'react' });
  expect(result).toMatchObject({ cause: 'direct_answer', text: 'Cadiz it is.' });
  expect(toolTexts(script.requests[1])[0]).toContain('decide yourself');
});

test('ask_person: a worker goes while the question waits, and the answer comes without one → the next takes it (F17)', async () => {
  const script = rig.play([asks(), done]);
  const handle = await rig.start('Plan the trip.', { mode: 'react', attended: true });
  const { id: gateId } = await openGateOf(handle, 'question');
  await rig.stopWorker();
  const told = handle.executeUpdate(answerGateUpdate, { args: [{ gateId, text: 'Faro' }] });
  await rig.startWorker();
  await told;
  expect(await handle.result()).toMatchObject({ cause: 'direct_answer' });
  expect(toolTexts(script.requests[1])).toEqual(['The person says: Faro']);
});

test('ask_person: an agent asks → the question is asked at its caller, and its answer goes down to it (F17, A7)', async () => {
  rig.play(({ body }) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('search-agent')) return said.includes('The person says: Cadiz') ? done : asks();
    if (said.includes('Cadiz it is.')) return { text: 'The agent says Cadiz.' };
    return calls({
      name: 'call_subagent',
      arguments: { agent_name: 'search', instruction: 'Find a port.' },
    });
  });
  const handle = await rig.start('Plan the trip.', { mode: 'lead', attended: true });
  const gate = await openGateOf(handle, 'question');
  expect(gate.from?.agent).toBe('search/1');
  await answer(handle, 'question', { text: 'Cadiz' });
  expect(await handle.result()).toMatchObject({ text: 'The agent says Cadiz.' });
});
