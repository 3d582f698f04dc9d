/** Adds up what every call used, by role and model, and compares it with what the run says. */

import { MOST_USAGE_ENTRIES, usageOf } from '../../src/run/limits/usage-by.js';
import { addUsage, NO_USAGE, type Usage } from '../../src/run/messages/message.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';

export class UsageWatch {
  #total = NO_USAGE;
  readonly #parts = new Map<string, { calls: number; usage: Usage }>();

  /** `calls`: all those of an agent with this model at once. */
  used({ role, model, calls = 1 }: { role: string; model: string; calls?: number }, usage: Usage): void {
    this.#total = addUsage(this.#total, usage);
    const own = `${role} ${model}`;
    const isCounted = this.#parts.has(own) || this.#parts.size < MOST_USAGE_ENTRIES;
    const key = isCounted ? own : '(others) (others)';
    const part = this.#parts.get(key) ?? { calls: 0, usage: NO_USAGE };
    this.#parts.set(key, { calls: part.calls + calls, usage: addUsage(part.usage, usage) });
  }

  safePoint({ total: { usage, usageBy } }: RunState): void {
    expectThat(same(usage, this.#total), 'usage is the sum of all replies and failed calls');
    expectThat(usageBy.length === this.#parts.size, 'each role has an entry for each of its models');
    for (const entry of usageBy) {
      const part = this.#parts.get(`${entry.role} ${entry.model}`);
      expectThat(
        part?.calls === entry.calls && same(part.usage, usageOf(entry)),
        () => `what ${entry.role} used of ${entry.model} is the sum of its calls`,
      );
    }
    const sum = usageBy.map(usageOf).reduce(addUsage, NO_USAGE);
    expectThat(same(usage, sum), 'the parts of the usage add up to it, to the token');
  }
}

function same(a: Usage, b: Usage): boolean {
  const fields = ({ cacheWriteInputTokens = 0, estimated = false, ...rest }: Usage) =>
    Object.entries({ ...rest, cacheWriteInputTokens, estimated }).sort();
  return JSON.stringify(fields(a)) === JSON.stringify(fields(b));
}
