/** A world in which everybody writes without end: models, tools and people, in texts that take most bytes. */

import { fitReply, textOfOutput } from '../../src/activities/models/fit-reply.js';
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
} from '../../src/activities/types.js';
import { isRecord } from '../../src/base/json/json.js';
import type { AssistantMessage } from '../../src/run/messages/message.js';
import { extractJson } from '../../src/run/outputs/envelope.js';
import type { Called, CallOptions } from '../../src/workflows/run/ports.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import { scenarioOf } from './scenario.js';
import { World } from './world.js';

/** Three bytes a character, six, two, four, six for half a pair, and one. */
const UNITS = ['帆', '\u0001', '"', '😀', '\ud800', 'word ', '\n'] as const;

/** A seed's scenario where people write long messages, and limits leave room for much of everything. */
export function longScenario(seed: number, attended: boolean): Scenario {
  const scenario = scenarioOf(seed, attended);
  const { limits } = scenario.pinned;
  const acts = scenario.people.acts.map((timed, index) => {
    const { act } = timed;
    if (!('input' in act)) return timed;
    return {
      ...timed,
      act: { ...act, input: withText(act.input, longText(new Random(seed, 'act', index))) },
    };
  });
  return {
    ...scenario,
    thorough: true,
    goal: `${scenario.goal} ${longText(new Random(seed, 'goal'))}`,
    pinned: {
      ...scenario.pinned,
      limits: { ...limits, turns: 300, totalTurns: 600, tasks: 60, tokens: 1e12 },
    },
    people: { ...scenario.people, acts },
  };
}

/** What is no message stays none. */
function withText(input: unknown, more: string): unknown {
  if (typeof input === 'string') return `${input} ${more}`;
  if (!isRecord(input) || typeof input.text !== 'string' || input.text.trim() === '') return input;
  return { ...input, text: `${input.text} ${more}` };
}

function longText(random: Random): string {
  const unit = random.pick(UNITS);
  return unit.repeat(random.pick([10, 1_000, 9_000, 60_000]));
}

export class LongWindedWorld extends World {
  #said = 0;

  override async callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>> {
    const called = await super.callModel(input, options);
    if (!called.ok) return called;
    this.#said += 1;
    const random = new Random(this.scenario.seed, 'long', this.#said);
    const content = called.value.content.map(block => longBlock(block, random));
    const store = async () => (random.chance(0.1) ? Promise.reject(new Error('full')) : 'ref-1');
    const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
    const hasCalls = content.some(block => block.type === 'tool_use');
    const contract = this.scenario.pinned.roles[input.role]?.output ?? 'text';
    const whole = hasCalls ? null : textOfOutput(text, contract);
    const fit = await fitReply(content, input.callId, store);
    const { outputText: _short, ...value } = called.value;
    return { ok: true, value: { ...value, content: fit, ...(whole === null ? {} : { outputText: whole }) } };
  }

  override async callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>> {
    const called = await super.callTool(input, options);
    if (!called.ok || called.value.content.length === 0) return called;
    this.#said += 1;
    const text = longText(new Random(this.scenario.seed, 'long', this.#said));
    return {
      ok: true,
      value: { ...called.value, content: [...called.value.content, { type: 'text', text }] },
    };
  }

  override async storeText() {
    this.#said += 1;
    const random = new Random(this.scenario.seed, 'store', this.#said);
    if (random.chance(0.5)) return super.storeText();
    return {
      ok: false as const,
      failure: { kind: 'application' as const, type: '', message: 'no space left' },
    };
  }
}

type Block = AssistantMessage['content'][number];

function longBlock(block: Block, random: Random): Block {
  if (block.type === 'tool_use') {
    return random.chance(0.3) ? { ...block, input: { ...block.input, text: longText(random) } } : block;
  }
  const json = block.type === 'text' ? extractJson(block.text) : null;
  if (json) return { ...block, text: JSON.stringify(longIn(json, random)) };
  return { ...block, text: `${block.text} ${longText(random)}` };
}

/** Free text has spaces; ids and words of the protocol have none. */
function longIn(value: unknown, random: Random): unknown {
  if (typeof value === 'string')
    return value.includes(' ') && random.chance(0.5) ? `${value} ${longText(random)}` : value;
  if (Array.isArray(value)) return value.map(item => longIn(item, random));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, longIn(member, random)]));
}
