/** What the protocols of OpenAI have in common: its SDK, how it tells failures, its words for reasoning. */
import OpenAI from 'openai';
import { isRecord } from '../../base/json/json.js';
import type { ReasoningLevel } from '../../run/agents/role.js';
import type { Endpoint } from '../provider/endpoint.js';
import type { ModelProvider } from '../provider/provider.js';
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

/** What tells a protocol of OpenAI from the other. */
export type OpenAiProtocol<Request> = Pick<
  WireProtocol<Request>,
  'answer' | 'options' | 'toBody' | 'read' | 'whole'
> & {
  send(client: OpenAI, body: Request, signal: AbortSignal): Promise<Response>;
};

export function createOpenAiProvider<Request>(
  at: Endpoint,
  protocol: OpenAiProtocol<Request>,
): ModelProvider {
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

/** APIConnectionError is an APIError too, without an answer. */
function isAnswer(error: unknown): error is ApiError {
  return error instanceof OpenAI.APIError && !(error instanceof OpenAI.APIConnectionError);
}

function createClient(at: Endpoint): OpenAI {
  const { apiKey, url } = at;
  return new OpenAI({
    ...clientOptions(at, { Authorization: apiKey === undefined ? null : `Bearer ${apiKey}` }),
    baseURL: publicUrl(url),
    // Without these the SDK would take them from the environment, behind src/shared/process/env.ts.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
}

function errorIn(event: unknown): object | null {
  if (!isRecord(event)) return null;
  if (event.error) return errorObject(event.error);
  // The form of vLLM's earlier versions.
  if (event.type === 'error' || event.object === 'error') return event;
  return givenUp(event);
}

/** In an event that looks like one of a reply. */
function givenUp({ type, response, choices }: Record<string, unknown>): object | null {
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

/** As refusable, at its place in a body. Not every model that thinks can do without: the least is next to none. */
export function effortOption(path: string): RefusableOption {
  return {
    path,
    words: OPTIONS.effort,
    instead: [{ path, value: given => (given === 'none' ? 'minimal' : given) }],
  };
}
