/**
 * Makes one edit of many places in a large file, and measures how long the worker's event loop is blocked meanwhile.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Command } from 'commander';
import { editTool } from '../packages/workspace-tools/files/edit.js';

const { megabytes, places } = new Command('large-edit')
  .option('--megabytes <n>', 'of the file', Number, 15)
  .option('--places <n>', 'edits at its end', Number, 100)
  .parse()
  .opts<{ megabytes: number; places: number }>();

const workspace = mkdtempSync(join(tmpdir(), 'large-edit-'));
const marks = Array.from({ length: places }, (_, index) => `place ${index}.`);
const line = 'a line of this file, which has many\n';
const body = line.repeat(Math.floor((megabytes * 1_000_000) / line.length));
writeFileSync(join(workspace, 'large.txt'), `${body}${marks.join('\n')}\n`);
const edits = marks.map(oldText => ({ oldText, newText: oldText.replace('place', 'spot') }));
const context = { signal: new AbortController().signal } as Parameters<ReturnType<typeof editTool>['run']>[1];

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const startedAt = performance.now();
await editTool({ workspace }).run({ path: 'large.txt', edits }, context);
const tookMs = performance.now() - startedAt;
// The monitor counts a blocked moment only when the next one begins.
await new Promise(resolve => setTimeout(resolve, 20));
delay.disable();
const longestMs = delay.max / 1e6;
console.log(
  `large-edit: ${places} places in ${megabytes} MB took ${Math.round(tookMs)} ms; the event loop stood still for ${Math.round(longestMs)} ms at most, ${(longestMs / tookMs).toFixed(2)} of it`,
);
