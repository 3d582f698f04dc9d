/** Checks that the configured models answer, with a short request each: a list of models proves neither key nor credit. */

import { formatDuration, plural } from 'steersman/base';
import type { ModelProvider, ModelRequest, ProviderRegistry } from 'steersman/models';
import { ModelCallError, PLAIN_REQUEST } from 'steersman/models';
import { FAILURE } from 'steersman/run';
import { type Finding, failed, ok, warning } from './finding.js';
import { askForList, LIST_LIMIT_MS } from './list-models.js';

const ANSWER_LIMIT_MS = 30_000;
/** A few tokens are enough for a reply; some endpoints refuse fewer. */
const MAX_OUTPUT_TOKENS = 16;
const NAMES_SHOWN = 8;
/** Some endpoints refuse more concurrent requests, and a local server loads its models one after another. */
const AT_ONCE = 8;

/** Asks each model (`endpoint/model`) for a word, several at a time. Findings are in the order of the models. */
export async function checkModels(
  models: readonly string[],
  providers: ProviderRegistry,
  limitMs = ANSWER_LIMIT_MS,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  // All askers share one queue: each takes the next model.
  const queue = models.entries();
  const askNext = async () => {
    for (const [index, id] of queue) findings[index] = await checkModel(id, providers, limitMs);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  return findings;
}

/** Checks endpoints without a configured model: does each list its models? */
export function checkEndpoints(names: readonly string[], providers: ProviderRegistry): Promise<Finding[]> {
  return Promise.all(
    names.map(async name => {
      const { address, listed, fault } = await askForList(name, providers);
      if (listed === null) return warning('endpoint', named(name, fault ?? ''), null);
      return ok('endpoint', `${name} lists ${plural(listed.length, 'model')}, ${address}`);
    }),
  );
}

async function checkModel(id: string, providers: ProviderRegistry, limitMs: number): Promise<Finding> {
  const signal = AbortSignal.timeout(limitMs);
  const begin = performance.now();
  try {
    const { provider, model } = providers.resolve(id);
    try {
      await ask(provider, model, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelCallError)) throw error;
      return failed('model', named(id, error.message), await todoFor(error, provider, model));
    }
    const time = formatDuration(performance.now() - begin);
    return ok('model', `${id} answers after ${time}, ${provider.endpoint}`);
  } catch (error) {
    if (signal.aborted) {
      return warning(
        'model',
        `${id}: no answer within ${limitMs / 1_000} s`,
        'A model that is loaded on demand may need longer: ask again. Otherwise check the endpoint.',
      );
    }
    if (error instanceof ModelCallError) return failed('model', named(id, error.message), null);
    throw error;
  }
}

/** Most messages already name the model. */
function named(id: string, message: string): string {
  return message.includes(id) ? message : `${id}: ${message}`;
}

/** Resolves when the first part of a reply arrives, and cancels the rest. */
async function ask(provider: ModelProvider, model: string, signal: AbortSignal): Promise<void> {
  const request: ModelRequest = {
    model,
    ...PLAIN_REQUEST,
    system: 'Answer with one word.',
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    messages: [
      {
        id: 'doctor',
        at: 0,
        kind: 'user',
        purpose: 'instruction',
        content: [{ type: 'text', text: 'Hello?' }],
      },
    ],
  };
  const reply = provider.stream(request, signal)[Symbol.asyncIterator]();
  await reply.next();
  await reply.return?.();
  signal.throwIfAborted();
}

/** Returns advice that the failure's own message lacks; null if the message is enough. */
async function todoFor(
  error: ModelCallError,
  provider: ModelProvider,
  model: string,
): Promise<string | null> {
  const { unknownModel, rateLimited, overloaded, server } = FAILURE.model;
  if (error.type === unknownModel) return listedModels(provider, model);
  const mayPass: string[] = [rateLimited, overloaded, server];
  return mayPass.includes(error.type)
    ? 'Runs retry by themselves. If the failure stays, check the endpoint.'
    : null;
}

async function listedModels(provider: ModelProvider, model: string): Promise<string | null> {
  const listed = await provider.listModels(AbortSignal.timeout(LIST_LIMIT_MS)).catch(() => []);
  if (listed.length === 0) return null;
  const start = model.slice(0, 4);
  const likely = listed.filter(id => id.startsWith(start));
  const names = [...likely, ...listed.filter(id => !id.startsWith(start))];
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  return `It is not in the endpoint's list: ${names.slice(0, NAMES_SHOWN).join(', ')}${more}.`;
}
