import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeJson } from '../../../src/stack/json-file.js';
import { identify, type ProcessId, thisProcess } from '../../../src/stack/process-id.js';
import { liveWorkers, readWorkerRecords, workerRecordPath } from '../../../src/stack/records.js';
import { endWorker, forgetWorker } from '../../../src/stack/workers.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steersman-workers-'));
  mkdirSync(join(home, 'workers'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function record(worker: ProcessId) {
  const fields = {
    taskQueue: 'queue',
    fingerprint: '',
    address: '127.0.0.1:1',
    startedAt: '2026-01-01T00:00:00Z',
  };
  const written = { ...worker, ...fields };
  writeJson(workerRecordPath(home, 'queue'), written);
  return written;
}

test('a worker that ends slowly: another has taken its queue meanwhile → the other stays on record (TE2)', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const old = record(identify(child.pid ?? 0) ?? thisProcess());
  const ended = endWorker(home, old);
  const successor = record(thisProcess());
  await ended;
  expect(liveWorkers(home)).toEqual([successor]);
});

test('a worker: itself or its dead record → forgotten', () => {
  forgetWorker(home, record(thisProcess()));
  expect(readWorkerRecords(home)).toEqual([]);
  forgetWorker(home, record({ pid: 2 ** 22 + 1, started: 'long ago' }));
  expect(readWorkerRecords(home)).toEqual([]);
});
