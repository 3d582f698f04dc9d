/** What a run that does nothing waits for, told to whoever waits for the run. */

import { askRun } from '../client/runs/ask-run.js';
import type { Temporal } from '../client/runs/connect.js';
import type { RunDescription } from '../client/runs/runs.js';
import { mayBeServed } from '../client/runs/runs.js';
import { readStuckTask, stuckLine } from '../client/runs/stuck-task.js';
import { stateQuery } from '../workflows/messages.js';
import type { Colors } from './output.js';
import { gateLines } from './show-run.js';

const QUERY_TIMEOUT_MS = 5_000;

interface Thing {
  key: string;
  lines: string[];
}

/** Tells each thing once, however often it is asked. */
export class WaitTeller {
  private readonly colors: Colors;
  private readonly told = new Set<string>();
  private lookedAt = '';

  constructor(colors: Colors) {
    this.colors = colors;
  }

  /** Lines on what the run waits for that were not told before; none while it works, or no worker answers. */
  async news(temporal: Temporal, run: RunDescription): Promise<string[]> {
    const { workflowId: id, runId, historyLength, raw } = run;
    const stuck = await readStuckTask(temporal.client, run).catch(() => null);
    if (stuck) return this.fresh([{ key: stuck.what, lines: [stuckLine(stuck), stuck.todo] }]);
    const look = `${runId} ${historyLength}`;
    // A run at work has a call or a task in flight; one that waits has not moved since it was looked at.
    const atWork = (raw.pendingActivities ?? []).length > 0 || raw.pendingWorkflowTask != null;
    if (look === this.lookedAt || atWork) return [];
    if (!(await mayBeServed(temporal, run.taskQueue))) return [];
    const question = { id, runId, timeoutMs: QUERY_TIMEOUT_MS };
    const view = await askRun(temporal, question, stateQuery).catch(() => null);
    if (view === null) return [];
    this.lookedAt = look;
    const things: Thing[] = view.gates.map(gate => ({
      key: gate.gateId,
      lines: gateLines(id, [gate], this.colors),
    }));
    if (view.phase === 'paused') {
      things.push({
        key: `paused ${historyLength}`,
        lines: [`It is paused. Go on: npm run client -- resume ${id}`],
      });
    }
    if (view.phase === 'idle') {
      const finish = `End it: npm run client -- finish ${id}`;
      things.push({
        key: `idle ${view.goals.length}`,
        lines: [`It is answered, and open for a follow-up. ${finish}`],
      });
    }
    return this.fresh(things);
  }

  private fresh(things: Thing[]): string[] {
    const fresh = things.filter(({ key }) => !this.told.has(key));
    for (const { key } of fresh) this.told.add(key);
    return fresh.flatMap(({ lines }) => lines);
  }
}
