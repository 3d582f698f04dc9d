// Ends what a benchmark has left, however it ended. Its standard input is a pipe of scripts/bench.mjs, which closes
// with that process, killed or not; then every process is killed whose command line or environment names one of the
// folders given, paused ones too, and the folders are removed. Workers, tool servers and Temporal lead process
// groups of their own, so no signal to a group would reach them. Processes are found on Linux only.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const folders = process.argv.slice(2);
const GIVE_UP_MS = 10_000;
const LOOK_EVERY_MS = 50;

for await (const _ of process.stdin);
const giveUpAt = Date.now() + GIVE_UP_MS;
// Again until none is left: one that is about to start another may be faster.
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
    // It has ended, or it is somebody else's.
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
