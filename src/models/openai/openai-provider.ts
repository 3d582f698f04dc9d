/** The common part of OpenAI's two protocols: the SDK, the reading of failures, and the words for reasoning effort. */
import OpenAI from 'openai';
import { isRecord } from '../../base/json/json.js';
import type { ReasoningLevel } from '../../run/agents/role.js';
import type { Endpoint } from '../provider/endpoint.js';
import type { EndpointProvider } from '../provider/provider.js';
import { OPTIONS } from '../refusals/option-words.js';
import type { RefusableOption } from '../refusals/refused-options.js';
import { brokenOff } from '../reply/end-reasons.js';
import { publicUrl } from '../sdk/classify.js';
import {
  answerText,
  clientOptions,
  createSdkProvider,
  errorObject,
  type RefusalAnswer,
  type WireProtocol,
  waitOf,
} from '../sdk/sdk-provider.js';

/** The part in which OpenAI's two protocols differ. */
export type OpenAiProtocol<Request> = Pick<
  WireProtocol<Request>,
  'answer' | 'options' | 'toBody' | 'read' | 'whole'
> & {
  send(client: OpenAI, body: Request, signal: AbortSignal): Promise<Response>;
};

export function createOpenAiProvider<Request>(
  at: Endpoint,
  protocol: OpenAiProtocol<Request>,
): EndpointProvider {
  const client = createClient(at);
  return createSdkProvider<Request>(at, {
    ...protocol,
    addressHint: 'it usually ends in /v1',
    send: (body, signal) => protocol.send(client, body, signal),
    list: signal => client.models.list({ signal }).asResponse(),
    answerOf: error => (isAnswer(error) ? answerOf(error) : null),
    failureIn: event => {
      const error = errorIn(event);
      return error && answerOf(new OpenAI.APIError(undefined, error, undefined, undefined));
    },
  });
}

type ApiError = InstanceType<typeof OpenAI.APIError>;

/** An APIConnectionError is an APIError too, but holds no answer. */
function isAnswer(error: unknown): error is ApiError {
  return error instanceof OpenAI.APIError && !(error instanceof OpenAI.APIConnectionError);
}

function createClient(at: Endpoint): OpenAI {
  const { apiKey, url } = at;
  return new OpenAI({
    ...clientOptions(at, { Authorization: apiKey === undefined ? null : `Bearer ${apiKey}` }),
    baseURL: publicUrl(url),
    // If these were left out, the SDK would read them from the environment, bypassing src/shared/process/env.ts.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  if (event.error) return errorObject(event.error);
  // Earlier versions of vLLM send errors in this form.
  if (event.type === 'error' || event.object === 'error') return event;
  return failureOf(event);
}

/** Returns the failure stated by an event that otherwise looks like part of a reply; null if it states no failure. */
function failureOf({ type, response, choices }: Record<string, unknown>): object | null {
  if (typeof type === 'string' && type.startsWith('response.')) {
    const { status, error } = isRecord(response) ? response : {};
    const end = ['failed', 'cancelled'].find(given => type === `response.${given}` || status === given);
    if (end === undefined) return null;
    return isRecord(error) ? error : { message: `The response was ended as ${end}.` };
  }
  const reasons = Array.isArray(choices)
    ? choices.map(choice => isRecord(choice) && choice.finish_reason)
    : [];
  return reasons.map(brokenOff).find(told => told !== null) ?? null;
}

function answerOf(error: ApiError): RefusalAnswer {
  return {
    status: error.status ?? null,
    code: error.code === null || error.code === undefined ? null : String(error.code),
    type: error.type ?? null,
    param: typeof error.param === 'string' ? error.param : null,
    message: answerText(error.error, error.message),
    headers: error.headers ?? null,
    waitMs: waitOf(error.error),
  };
}

export function toEffort(level: ReasoningLevel): OpenAI.ReasoningEffort {
  return level === 'off' ? 'none' : level;
}

/** Returns the effort as a refusable option. Some reasoning models refuse `none`; `minimal` is the closest value. */
export function effortOption(path: string): RefusableOption {
  return {
    path,
    words: OPTIONS.effort,
    instead: [{ path, value: given => (given === 'none' ? 'minimal' : given) }],
  };
}
