/** Every way in which an endpoint misbehaves, in every protocol: what a call comes to, and the same in the documentation. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAULTS as COMMON } from '../../../packages/test-kit/faults.js';
import { startScriptedModel as startCommon } from '../../../packages/test-kit/scripted-model.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';
import { FAULTS } from '../../support/endpoint/faults/all.js';
import { FAULT_WORDS, type FaultName } from '../../support/endpoint/faults/names.js';
import type { startScriptedModel } from '../../support/endpoint/model.js';
import { type FaultOutcome, outcomeOf } from '../../support/fault-outcome.js';
import { expectedOutcome } from '../../support/fault-outcomes.js';

const PROTOCOLS: Record<Protocol, string> = {
  'openai-compatible': 'chat completions',
  'openai-responses': 'responses',
  anthropic: 'messages',
};
const SPOKEN = Object.keys(PROTOCOLS) as Protocol[];
const NAMES = Object.keys(FAULT_WORDS) as FaultName[];
const seen = new Map<string, Promise<FaultOutcome>>();

/** Each is played once. */
function played(protocol: Protocol, fault: FaultName): Promise<FaultOutcome> {
  const key = `${protocol} ${fault}`;
  const outcome = seen.get(key) ?? outcomeOf(protocol, fault);
  seen.set(key, outcome);
  return outcome;
}

function speaks(protocol: Protocol, fault: FaultName): boolean {
  return FAULTS[fault].protocols?.includes(protocol) ?? true;
}

describe.each(SPOKEN)('%s', protocol => {
  const faults = NAMES.filter(fault => speaks(protocol, fault));

  test('faults → more than thirty', () => expect(faults.length).toBeGreaterThan(30));

  test.each(faults.map(fault => [fault, expectedOutcome(fault, protocol)] as const))(
    '%s → %s',
    async (fault, outcome) => {
      expect((await played(protocol, fault)).outcome).toBe(outcome);
    },
  );
});

const testingDoc = readFileSync(new URL('../../../docs/testing.md', import.meta.url), 'utf8');

test.each(Object.keys(COMMON) as (keyof typeof COMMON)[])(
  'the model of steersman/testing: %s → comes to the same as with the strict model, and is in docs/testing.md',
  async fault => {
    const { outcome, says } = await outcomeOf(
      'openai-compatible',
      fault,
      startCommon as typeof startScriptedModel,
    );
    const strict = await played('openai-compatible', fault);
    expect({ outcome: outcome.replace(', usage estimated', ''), says }).toEqual(strict);
    expect(testingDoc).toContain(`| \`${fault}\` |`);
  },
);

test('docs/model-faults.md → these faults, with what they come to and what is said of them', async () => {
  const rows: string[] = [];
  for (const fault of NAMES) {
    const first = SPOKEN.find(protocol => speaks(protocol, fault));
    const says = first ? (await played(first, fault)).says : '';
    rows.push(`| \`${fault}\`${only(fault)} | ${FAULT_WORDS[fault]} | ${comesTo(fault)} | ${quoted(says)} |`);
  }
  await expect(`${DOC_HEAD}${rows.join('\n')}\n`).toMatchFileSnapshot('../../../docs/model-faults.md');
});

function only(fault: FaultName): string {
  const protocols = FAULTS[fault].protocols;
  return protocols ? ` (${protocols.map(protocol => PROTOCOLS[protocol]).join(', ')})` : '';
}

/** What holds for most protocols, and what else holds for others. */
function comesTo(fault: FaultName): string {
  const protocols = SPOKEN.filter(protocol => speaks(protocol, fault));
  const words = new Map<string, string[]>();
  for (const protocol of protocols) {
    const outcome = asCode(expectedOutcome(fault, protocol));
    words.set(outcome, [...(words.get(outcome) ?? []), PROTOCOLS[protocol]]);
  }
  if (words.size === 1) return [...words.keys()].join();
  return [...words].map(([outcome, by]) => `${by.join(', ')}: ${outcome}`).join('<br>');
}

/** The stop reason or the type of the failure stands first. */
function asCode(outcome: string): string {
  return outcome.replace(/^[\w.]+/, '`$&`').replaceAll('|', '\\|');
}

function quoted(says: string): string {
  return says === '' ? '' : `\`${says.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

const DOC_HEAD = `# When a model's endpoint misbehaves

For anyone who wonders what a fault of a model's endpoint does to a run: each fault, how one model call ends, and what the trace says.

A call ends with a reply or with a failure. The table gives a reply's stop reason and the parts of it that were kept, or a failure's type.

- *Tried again* means that Temporal retries the call, up to 4 times, or twice if the call took long. After that, or at once without retries, the run trims, takes the next model, asks or ends ([decisions.md](decisions.md#what-follows-a-failed-model-call)).
- A call that is *not run* gets the reason as its result, and the model makes it anew.
- Usage that is missing or can't be right is *estimated*.
- If an endpoint refuses a part of a request, the same call asks again without that part ([models.md](models.md#refused-requests)).

In each row the model would think, say a text and call the tool \`read\` for \`a.txt\` and \`b.txt\`. A test plays the row over HTTP with a strict model server, sends the resulting conversation once more to a server as strict as the providers, and writes this page. The model of \`steersman/testing\` plays a dozen of them ([testing.md](testing.md)).

| fault | the endpoint | the call ends with | the trace says |
|---|---|---|---|
`;
