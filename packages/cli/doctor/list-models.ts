/** Lists usable models, both configured ones and those that endpoints list; and formats them for people. */

import { columnLines } from '@steersman/print';
import { errorText, plural } from 'steersman/base';
import { callableModels, loadRoles, promptRoots, settingsOfAny } from 'steersman/config';
import type { Protocol, ProviderRegistry } from 'steersman/models';
import {
  ModelCallError,
  type ModelInfo,
  type ModelPrices,
  modelInfo,
  presentEndpoints,
  protocolOf,
} from 'steersman/models';
import { FAILURE } from 'steersman/run';
import type { Colors } from 'steersman/shared';
import { env, terminalText } from 'steersman/shared';
import { providerSource } from 'steersman/worker';

interface UsableModel {
  id: string;
  /** True if `steersman.yaml` or the front matter of a role names it. */
  configured: boolean;
  /** True if its endpoint lists it; null if the endpoint has no list. */
  listed: boolean | null;
  info: ModelInfo;
}

export interface EndpointModels {
  endpoint: string;
  protocol: Protocol;
  /** Base URL without credentials; null if the endpoint is not usable. */
  address: string | null;
  fault: string | null;
  /** True if it answers. An endpoint without a list counts too: its configured models are usable. */
  answers: boolean;
  models: UsableModel[];
}

export const LIST_LIMIT_MS = 10_000;

/** Asks every endpoint at once, each for at most `limitMs`. Throws a SteersmanError for a bad `steersman.yaml` or prompt. */
export async function listModels(configDir: string, limitMs = LIST_LIMIT_MS): Promise<EndpointModels[]> {
  const { models, language } = (await settingsOfAny(configDir)).settings;
  const roles = await loadRoles(promptRoots(configDir), language);
  const providers = providerSource()(models);
  const configured = callableModels(
    models,
    roles.map(({ profile }) => profile),
  ).concat(Object.keys(models.info));
  const usable = (id: string, listed: readonly string[] | null): UsableModel => ({
    id,
    configured: configured.includes(id),
    listed: listed?.includes(id) ?? null,
    info: modelInfo(id, models, env.lookup),
  });
  return Promise.all(
    presentEndpoints(models.endpoints, env.lookup).map(async endpoint => {
      const { address, listed, fault, answers } = await askForList(endpoint, providers, limitMs);
      const own = configured.filter(id => id.startsWith(`${endpoint}/`));
      const ids = [...new Set([...own, ...(listed ?? []).toSorted()])];
      const protocol = protocolOf(endpoint, models.endpoints[endpoint], env.lookup);
      return { endpoint, protocol, address, fault, answers, models: ids.map(id => usable(id, listed)) };
    }),
  );
}

interface Answer {
  address: string | null;
  listed: string[] | null;
  fault: string | null;
  answers: boolean;
}

/** Failures of an endpoint that answers but has no list of models. */
const NO_LIST: readonly string[] = [
  FAILURE.model.unknownModel,
  FAILURE.model.badRequest,
  FAILURE.model.badResponse,
];

export async function askForList(
  endpoint: string,
  providers: ProviderRegistry,
  limitMs = LIST_LIMIT_MS,
): Promise<Answer> {
  const signal = AbortSignal.timeout(limitMs);
  let address: string | null = null;
  try {
    const { provider } = providers.resolve(`${endpoint}/*`);
    address = provider.endpoint;
    const listed = await provider.listModels(signal);
    return { address, listed: listed.map(model => `${endpoint}/${model}`), fault: null, answers: true };
  } catch (error) {
    const fault = signal.aborted ? `no answer within ${limitMs / 1_000} s` : errorText(error);
    const answers = error instanceof ModelCallError && NO_LIST.includes(error.type);
    return { address, listed: null, fault, answers };
  }
}

const HEADINGS = ['', 'context', 'reply', '$ a million tokens', 'can'];

/**
 * Returns the lines of an endpoint with its models. `all`: includes models that are neither configured nor known;
 * providers list many such models for speech or pictures.
 */
export function endpointLines(
  { endpoint, protocol, address, fault, models }: EndpointModels,
  colors: Colors,
  all: boolean,
): string[] {
  const anyKnown = models.some(model => isKnown(model));
  const shown = models.filter(model => all || !anyKnown || model.configured || isKnown(model));
  const left = models.length - shown.length;
  const title = `${colors.bold(endpoint)}  ${protocol}${address === null ? '' : `  ${terminalText(address)}`}`;
  return [
    title,
    ...(fault === null ? [] : [`  ${colors.red('✖')} ${terminalText(fault)}`]),
    ...(shown.length === 0 ? [] : columnLines([HEADINGS, ...shown.map(cells)])).map(
      (line, index) => `  ${index === 0 ? colors.dim(line) : line}`,
    ),
    ...(left === 0
      ? []
      : [colors.dim(`  and ${plural(left, 'model')} about which nothing is known (--all)`)]),
  ];
}

function isKnown({ info }: UsableModel): boolean {
  return info.prices !== null || Object.values(info.capabilities).some(can => can !== null);
}

function cells({ id, configured, listed, info }: UsableModel): string[] {
  const { contextTokens, maxOutputTokens, prices, capabilities } = info;
  const can = Object.entries(capabilities).flatMap(([name, value]) => (value === true ? [name] : []));
  return [
    `${configured ? '*' : ' '} ${terminalText(id)}${listed === false ? ' (not listed)' : ''}`,
    tokens(contextTokens),
    tokens(maxOutputTokens),
    prices === null ? '?' : priceText(prices),
    can.join(' '),
  ];
}

/** Formats a number of tokens: `272k`, `1M`; `?` if unknown. */
function tokens(count: number | null): string {
  if (count === null) return '?';
  return count < 1_000_000 ? `${Math.round(count / 1_000)}k` : `${Number((count / 1_000_000).toFixed(2))}M`;
}

/** Formats prices: `0.25 in, 2 out, 0.025 cached`. */
function priceText({ input, output, cachedInput, longContext }: ModelPrices): string {
  const cached = cachedInput === undefined ? '' : `, ${cachedInput} cached`;
  const [long] = longContext ?? [];
  const more = long === undefined ? '' : `; over ${tokens(long.above)}: ${long.input} in, ${long.output} out`;
  return `${input} in, ${output} out${cached}${more}`;
}
