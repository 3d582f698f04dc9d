/** Chooses the model if the configuration names no model: the first endpoint that can be called decides (FC3). */

import { errorText } from '../base/text/error-text.js';
import { plural } from '../base/text/format.js';
import { FAILURE } from '../run/limits/failure.js';
import { hintOf } from '../shared/process/called-as.js';
import { SteersmanError } from '../shared/process/errors.js';
import {
  type EndpointSettings,
  endpointOf,
  KNOWN_ENDPOINTS,
  NO_ENDPOINT,
  ownerOf,
  SET_AN_ENDPOINT,
} from './provider/endpoint.js';
import { type EndpointEntries, endpointSettings, type Lookup } from './provider/endpoints.js';
import { ModelCallError } from './provider/model-call-error.js';
import type { ModelProvider } from './provider/provider.js';

/** An endpoint that may serve the roles for which no model is configured. */
export interface Candidate {
  endpoint: string;
  /** The usual model, if the endpoint is the provider's own address. Null means that the endpoint is asked for its models. */
  model: string | null;
  /** The reason why it is a candidate, for people: `ANTHROPIC_API_KEY is set`. */
  why: string;
}

export interface ChosenModel {
  /** `endpoint/model`. */
  id: string;
  why: string;
}

/**
 * Returns the candidates in order: openai and anthropic if their keys are set, then declared endpoints, then those two
 * if only their addresses are set.
 */
export function candidates(entries: EndpointEntries, lookup: Lookup): Candidate[] {
  const known = Object.entries(KNOWN_ENDPOINTS);
  const by = (variable: 'keyVariable' | 'urlVariable') =>
    known
      .filter(([name, endpoint]) => !(name in entries) && lookup(endpoint[variable]) !== undefined)
      .map(([name, endpoint]) => ({ name, why: `${endpoint[variable]} is set` }));
  const declared = Object.keys(entries)
    .filter(name => settingsOf(name, entries, lookup) !== null)
    .map(name => ({ name, why: `models.endpoints has ${name}` }));
  // A declared endpoint named `openai` or `anthropic` takes the place that its key variable would have.
  const named = known.flatMap(([name]) => declared.filter(entry => entry.name === name));
  const all = [...[...named, ...by('keyVariable')].sort(byKnown), ...declared, ...by('urlVariable')];
  const first = all.filter(({ name }, at) => all.findIndex(other => other.name === name) === at);
  return first.map(({ name, why }) => ({ endpoint: name, model: usualModel(name, entries, lookup), why }));
}

function byKnown(left: { name: string }, right: { name: string }): number {
  const names = Object.keys(KNOWN_ENDPOINTS);
  return names.indexOf(left.name) - names.indexOf(right.name);
}

/** Returns null if a variable that the entry names is not set. */
function settingsOf(name: string, entries: EndpointEntries, lookup: Lookup): EndpointSettings | null {
  try {
    return endpointSettings(name, entries[name], lookup);
  } catch (error) {
    if (error instanceof ModelCallError) return null;
    throw error;
  }
}

function usualModel(name: string, entries: EndpointEntries, lookup: Lookup): string | null {
  const settings = settingsOf(name, entries, lookup);
  return settings === null || settings.baseUrl !== undefined ? null : ownerOf(settings.protocol).model;
}

const ASK_LIMIT_MS = 3_000;
const MOST_LISTED = 50;

/** Asks each candidate without a usual model which models it has. One that does not answer soon has none. */
export async function listedModels(entries: EndpointEntries, lookup: Lookup): Promise<string[]> {
  const { createProvider } = await import('./protocols.js');
  const asked = candidates(entries, lookup).filter(({ model }) => model === null);
  const found = asked.map(async ({ endpoint }) => {
    const provider = createProvider(endpointSettings(endpoint, entries[endpoint], lookup));
    const listed = await provider.listModels(AbortSignal.timeout(ASK_LIMIT_MS));
    return listed.slice(0, MOST_LISTED).map(model => `${endpoint}/${model}`);
  });
  return (await Promise.all(found.map(each => each.catch(() => [])))).flat();
}

/** Returns the protocol's usual model if the endpoint lists it, otherwise its only model; null if that is ambiguous. */
export function listedModel(listed: readonly string[], usual: string): string | null {
  if (listed.includes(usual)) return usual;
  return listed.length === 1 ? (listed[0] ?? null) : null;
}

export interface DefaultOptions {
  lookup: Lookup;
  /** The file in which a model is named, for messages. */
  file: string;
  /** The program's own providers, which are tried last. Default: an empty list. */
  given?: readonly ModelProvider[];
}

const LIST_LIMIT_MS = 10_000;
const NAMES_SHOWN = 8;

const REFUSED_KEY: ReadonlySet<string> = new Set([FAILURE.model.auth, FAILURE.model.forbidden]);

/** @throws SteersmanError with the line to add, if no endpoint can answer or its model is ambiguous. */
export async function chooseDefaultModel(
  entries: EndpointEntries,
  { lookup, file, given = [] }: DefaultOptions,
): Promise<ChosenModel> {
  const [first] = [...candidates(entries, lookup), ...given.map(candidateOf)];
  if (first === undefined) throw noneUsable(entries, lookup);
  const { endpoint, why } = first;
  const ofProgram = given.find(({ name }) => name === endpoint);
  const fault = ofProgram === undefined ? settingsFault(endpoint, entries, lookup) : null;
  if (fault !== null) throw new SteersmanError(fault, '');
  if (first.model !== null) return { id: `${endpoint}/${first.model}`, why };
  const settings = endpointSettings(endpoint, entries[endpoint], lookup);
  // Protocols are loaded lazily: only asking an endpoint needs them.
  const { createProvider } = await import('./protocols.js');
  const provider = ofProgram ?? createProvider(settings);
  const untold = (what: string, model = 'MODEL') =>
    undeterminedModel(what, { id: `${endpoint}/${model}`, file });
  const listed = await provider.listModels(AbortSignal.timeout(LIST_LIMIT_MS)).catch((error: unknown) => {
    if (error instanceof ModelCallError && REFUSED_KEY.has(error.type))
      throw new SteersmanError(error.message, '');
    throw untold(`${endpoint} could not be asked which models it has: ${errorText(error)}`);
  });
  const model = listedModel(listed, ownerOf(settings.protocol).model);
  if (model === null)
    throw untold(
      `${endpoint} at ${provider.endpoint} does not tell which one to call: ${listText(listed)}`,
      listed[0],
    );
  return { id: `${endpoint}/${model}`, why };
}

function noneUsable(entries: EndpointEntries, lookup: Lookup): SteersmanError {
  const faults = Object.keys(entries).map(name => settingsFault(name, entries, lookup));
  const why = faults.length === 0 ? `${NO_ENDPOINT}.` : faults.join(' ');
  return new SteersmanError(`No model can be called: ${why}`, SET_AN_ENDPOINT);
}

/** Returns why an endpoint can't be called: a missing variable, a malformed key or address; null if it can. */
export function settingsFault(endpoint: string, entries: EndpointEntries, lookup: Lookup): string | null {
  try {
    endpointOf(endpointSettings(endpoint, entries[endpoint], lookup));
    return null;
  } catch (error) {
    if (error instanceof ModelCallError) return error.message;
    throw error;
  }
}

function candidateOf({ name }: ModelProvider): Candidate {
  return { endpoint: name, model: null, why: `the program gives ${name}` };
}

function undeterminedModel(what: string, { id, file }: { id: string; file: string }): SteersmanError {
  return new SteersmanError(
    `No model is named, and ${what}`,
    `Write it into ${file}, under "models:", as "default: ${id}"; or name it for one run: ${hintOf(`--model ${id}`, `\`model: '${id}'\``)}`,
  );
}

function listText(listed: readonly string[]): string {
  if (listed.length === 0) return 'it lists none.';
  const more = listed.length > NAMES_SHOWN ? ` and ${plural(listed.length - NAMES_SHOWN, 'other')}` : '';
  return `it lists ${listed.slice(0, NAMES_SHOWN).join(', ')}${more}.`;
}
