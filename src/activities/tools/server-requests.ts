/** What a tool server may ask while a call of it runs: a person, by a form, and a model. */

import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type FormQuestion, fitQuestion } from '../../core/gates/form.js';
import type { Usage } from '../../core/state/message.js';
import { isRecord } from '../../core/text/json.js';
import type { McpCall } from '../../mcp/connection/connection.js';
import type { CallToolInput } from '../types.js';
import type { AskPerson } from './ask-person.js';
import { Sampler, type SamplerDeps } from './sampling.js';
import type { Beat } from './tool-heartbeat.js';

export interface ServerRequestDeps {
  /** Takes secrets out of texts before they are cut and stored. Default: none are known. */
  redact?: (text: string) => string;
  /** Finds a model for servers that may ask one. Default: there is none. */
  resolveModel?: SamplerDeps['resolve'];
  /** Asks the person behind the run, for the activity at hand. Default: nobody can be asked. */
  askPerson?: () => AskPerson;
}

/** Forms of one try of a call: each is in the history of the run, whoever answers it. */
const MOST_FORMS = 20;

export class ServerRequests {
  readonly #input: CallToolInput;
  readonly #redact: (text: string) => string;
  readonly #ask: AskPerson | null;
  readonly #sampler: Sampler | null;
  #forms = 0;

  /** In the context of the activity. */
  constructor(
    { redact = text => text, resolveModel, askPerson }: ServerRequestDeps,
    input: CallToolInput,
    beat: Beat,
  ) {
    this.#input = input;
    this.#redact = redact;
    this.#ask = input.asksForMs === undefined ? null : (askPerson?.() ?? null);
    const { heartbeatDetails } = activityInfo();
    const before = isRecord(heartbeatDetails) ? heartbeatDetails.spent : null;
    const deps = resolveModel && {
      resolve: resolveModel,
      redact,
      onSpent: (usage: Usage) => beat.spent(usage),
    };
    this.#sampler = input.sampling && deps ? new Sampler(input.sampling, deps, before) : null;
  }

  /** The call is over, and so is what was asked for it. What models have used then; null for nothing. */
  async end(): Promise<Usage | null> {
    await this.#sampler?.end();
    return this.#sampler?.spent ?? null;
  }

  handlers(): Pick<McpCall, 'onForm' | 'onSample'> {
    const ask = this.#ask;
    const sampler = this.#sampler;
    return {
      ...(ask && { onForm: (question, signal) => this.#form(ask, question, signal) }),
      ...(sampler && { onSample: (params, signal) => sampler.answer(params, signal) }),
    };
  }

  async #form(ask: AskPerson, { message, schema }: FormQuestion, signal: AbortSignal): Promise<ElicitResult> {
    const { callId, asksForMs = 0 } = this.#input;
    const question = fitQuestion(JSON.parse(this.#redact(JSON.stringify({ message, schema }))));
    if (question === null || this.#forms >= MOST_FORMS) return { action: 'cancel' };
    this.#forms += 1;
    const answer = await ask({ callId, question, waitMs: asksForMs }, signal);
    if (answer.decision !== 'accept') return { action: answer.decision };
    return { action: 'accept', content: answer.content as NonNullable<ElicitResult['content']> };
  }

  /** A failure tells what the call used, as that of a model call does. */
  async withUsage(error: unknown): Promise<unknown> {
    const usage = await this.end();
    if (!(error instanceof ApplicationFailure) || usage === null) return error;
    const { message, type, nonRetryable, details } = error;
    const [known] = details ?? [];
    return ApplicationFailure.create({
      message,
      ...(type && { type }),
      nonRetryable: nonRetryable === true,
      details: [{ ...(isRecord(known) && known), usage }],
    });
  }
}
