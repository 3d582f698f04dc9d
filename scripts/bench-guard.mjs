// Ends all processes that a benchmark has left, however it ended. Its standard input is a pipe from
// scripts/bench.mjs, which closes when that process ends, even by SIGKILL. The guard then kills every process, even a
// paused one, whose command line or environment names one of the given folders, and removes the folders. Workers,
// tool servers and Temporal lead their own process groups, so no signal to a group would reach them. Processes are
// only found on Linux.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const folders = process.argv.slice(2);
const GIVE_UP_MS = 10_000;
const LOOK_EVERY_MS = 50;

for await (const _ of process.stdin);
const giveUpAt = Date.now() + GIVE_UP_MS;
// Repeats this until no process is left, because one may have started another meanwhile.
for (let left = marked(); left.length > 0 && Date.now() < giveUpAt; left = marked()) {
  for (const pid of left) kill(pid);
  await sleep(LOOK_EVERY_MS);
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

function marked() {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => ['cmdline', 'environ'].some(file => namesFolder(`/proc/${pid}/${file}`)))
    .map(Number);
}

function namesFolder(file) {
  try {
    const words = readFileSync(file, 'utf8');
    return folders.some(folder => words.includes(folder));
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
}
