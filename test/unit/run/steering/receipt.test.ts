import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { type InboxItem, STEER_TIMES } from '../../../../src/run/steering/inbox.js';
import {
  acceptedReceipt,
  appliedReceipt,
  droppedReceipt,
  queuedReceipt,
  type Situation,
} from '../../../../src/run/steering/receipt.js';

const { en: EN } = BUILT_IN_WORDS;
const BOTH = [true, false];
const DOING: Situation['doing'][] = ['loading', 'model_call', 'tool_call', 'between', 'waiting', 'idle'];

function* everySituation(): Generator<{ item: InboxItem; situation: Situation }> {
  for (const kind of ['steer', 'follow-up'] as const)
    for (const when of STEER_TIMES)
      for (const to of [null, 'planner'])
        for (const doing of DOING)
          for (const interruptible of BOTH)
            for (const paused of BOTH)
              for (const stopping of BOTH)
                for (const wrappingUp of BOTH)
                  for (const understands of BOTH)
                    for (const first of [null, 'after the message before it'])
                      yield {
                        item: { id: 'x', kind, text: 't', when, to, at: 1 },
                        situation: { doing, interruptible, paused, stopping, wrappingUp, understands, first },
                      };
}

describe('acceptedReceipt', () => {
  it('S1 acceptedReceipt: all 4,608 situations → no text promises what the run does not do', () => {
    let cells = 0;
    for (const { item, situation } of everySituation()) {
      cells += 1;
      const { id, state, how } = acceptedReceipt(EN, item, situation);
      expect([id, state]).toEqual(['x', 'accepted']);
      const { doing, interruptible, paused, stopping, wrappingUp, understands, first } = situation;
      const steers = item.kind === 'steer' && !stopping && doing !== 'idle';
      const waits = item.kind === 'follow-up' || (item.when === 'after-batch' && doing !== 'waiting');
      const listens = understands && (doing === 'idle' || !waits);
      const cuts = steers && item.when === 'interrupt' && interruptible;
      const says = {
        cutsModel: how.includes('is cut off'),
        cutsTool: how.includes('is cancelled'),
        skips: how.includes('are skipped'),
        read: how.includes(`It is read ${first === null ? '' : `${first}, `}before the next model call`),
        wraps: how.includes('is being wrapped up'),
        reservation: how.includes('if the goal ends first, it becomes a follow-up'),
        nobody: how.includes('will not be read'),
        nextGoal: how.includes('It is the next goal'),
        held: how.includes('nothing happens before it is resumed'),
        heard: how.includes('resumed or the message says so'),
        unless: how.includes('unless it is understood as an instruction'),
      };
      expect([item, situation, says]).toEqual([
        item,
        situation,
        {
          cutsModel: cuts && doing === 'model_call',
          cutsTool: cuts && doing === 'tool_call',
          skips: steers && doing === 'tool_call' && item.when !== 'after-batch',
          read: steers,
          wraps: steers && wrappingUp,
          reservation: steers,
          nobody: stopping,
          nextGoal: doing === 'idle' && !stopping,
          held: paused && !stopping && !listens,
          heard: paused && !stopping && listens,
          unless: understands && !steers && !stopping,
        },
      ]);
    }
    expect(cells).toBe(2 * 3 * 2 * 6 * 64);
  });

  it('S1 acceptedReceipt: addressed to a role → read by that role', () => {
    const item: InboxItem = { id: 'x', kind: 'steer', text: 't', when: 'skip', to: 'planner', at: 1 };
    const calm = { paused: false, stopping: false, wrappingUp: false, understands: true, first: null };
    const situation = { interruptible: true, ...calm };
    expect(acceptedReceipt(EN, item, { doing: 'tool_call', ...situation }).how).toBe(
      'The tool call in progress ends first; calls that have not begun are skipped. It is read before the next model call of planner; if the goal ends first, it becomes a follow-up.',
    );
  });
});

describe('receipts of what happened', () => {
  it('S2 receipts: applied, queued, dropped → what, where and why', () => {
    expect(appliedReceipt(EN, 'x', { as: 'a note to the executor', turn: 4 })).toEqual({
      id: 'x',
      state: 'applied',
      how: 'Applied as a note to the executor, turn 4.',
    });
    expect(queuedReceipt(EN, { id: 'x', to: null }, 0).how).toBe(
      'The goal ended before it was read: queued as a follow-up. It is the next in line.',
    );
    expect(queuedReceipt(EN, { id: 'x', to: 'planner' }, 2).how).toBe(
      'The goal ended before planner spoke again: queued as a follow-up. 2 follow-up(s) come before it.',
    );
    expect(droppedReceipt('x', 'The run was stopped.')).toMatchObject({
      state: 'dropped',
      how: 'The run was stopped.',
    });
  });
});
