import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holderText, withLock } from '../../../src/stack/lock.js';
import { identify, isAlive, terminate, thisProcess, waitFor } from '../../../src/stack/process-id.js';

let dir: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-lock-'));
  path = join(dir, 'some.lock');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

async function childProcess(body = ''): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', `${body}; setInterval(() => {}, 1000); console.log('up')`]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

function identityOf(child: ChildProcess) {
  const id = identify(child.pid ?? 0);
  if (id === undefined) throw new Error('child has ended');
  return id;
}

test('lock: ten at once → one after the other', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => withLock(path, work)));
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('lock: the work throws → the lock is free again', async () => {
  await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withLock(path, async () => 'mine')).toBe('mine');
});

test('lock: its holder is suspended → who waits is told its process number (TE8)', async () => {
  const holder = await childProcess();
  writeFileSync(path, JSON.stringify(identityOf(holder)));
  holder.kill('SIGSTOP');
  const told: (number | null)[] = [];
  const attempt = withLock(path, async () => 'mine', { onWait: pid => told.push(pid), timeoutMs: 200 });
  await expect(attempt).rejects.toThrow('for too long');
  expect(told).toEqual([holder.pid]);
  expect(holderText(holder.pid ?? 0)).toContain(`kill -9 ${holder.pid}`);
});

test('lock: its holder was killed → taken over by exactly one of many', async () => {
  const holder = await childProcess();
  writeFileSync(path, JSON.stringify(identityOf(holder)));
  holder.kill('SIGKILL');
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(path, work)));
});

test('lock: its holder’s number belongs to another process now → taken over', async () => {
  writeFileSync(path, JSON.stringify({ ...thisProcess(), started: 'at another time' }));
  expect(await withLock(path, async () => 'mine')).toBe('mine');
});

test('lock: its holder was killed before it wrote its name → taken over after some seconds', async () => {
  writeFileSync(path, '');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(path, longAgo, longAgo);
  expect(await withLock(path, async () => 'mine')).toBe('mine');
});

test('lock: the disk is full → nothing of it stays behind for those who come later', async () => {
  vi.resetModules();
  vi.doMock('node:fs', () => ({
    ...fs,
    writeFileSync: (file: fs.PathOrFileDescriptor, _: string, options?: fs.WriteFileOptions) => {
      fs.writeFileSync(file, '', options);
      throw new Error('ENOSPC: no space left on device, write');
    },
  }));
  const onFullDisk = await import('../../../src/stack/lock.js');
  vi.doUnmock('node:fs');
  vi.resetModules();
  await expect(onFullDisk.withLock(path, async () => 'mine')).rejects.toThrow('ENOSPC');
  expect(existsSync(path)).toBe(false);
});

test('lock: a living process holds it too long → an error that names the file, and the wait was announced once', async () => {
  writeFileSync(path, JSON.stringify(thisProcess()));
  const onWait = vi.fn();
  await expect(withLock(path, async () => 'mine', { timeoutMs: 300, onWait })).rejects.toThrow(
    `Another process holds ${path}`,
  );
  expect(onWait).toHaveBeenCalledTimes(1);
});

test('process: it ended and nobody has asked for its exit code → not alive', async () => {
  // The shell becomes `sleep`, which never collects the child that has ended: a zombie.
  const parent = spawn('sh', ['-c', 'sh -c "exit 0" & echo $!; exec sleep 30']);
  children.push(parent);
  const [line] = await once(parent.stdout, 'data');
  expect(await waitFor(() => identify(Number(String(line))) === undefined, 5_000)).toBe(true);
});

test('terminate: the process ignores SIGTERM → SIGKILL after the grace time', async () => {
  const stubborn = identityOf(await childProcess(`process.on('SIGTERM', () => {})`));
  await terminate(stubborn, 200);
  expect(isAlive(stubborn)).toBe(false);
});

test('terminate: another process has the number now → left alone', async () => {
  const child = identityOf(await childProcess());
  await terminate({ ...child, started: 'at another time' }, 200);
  expect(isAlive(child)).toBe(true);
});
