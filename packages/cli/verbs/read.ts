/** `show`, `result`, `transcript`, `artifact`, `export` and `stored`: read the data of a run. */

import { writeFile } from 'node:fs/promises';
import {
  artifactLine,
  definedOptions,
  exitCodeOf,
  printAnswer,
  printRun,
  resultLine,
  transcriptMarkdown,
  userPath,
  waitReporter,
} from '@steersman/print';
import type { Command } from 'commander';
import { errorText } from 'steersman/base';
import { SteersmanError } from 'steersman/client';
import { quietVerbCall, startCall, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb, onRun, runVerb, withRun } from '../command/command.js';

export function addShow(program: Command): void {
  const verb = runVerb(program, 'show', 'Show where a run stands: phase, tasks, limits, usage, answer.');
  describeVerb(verb, [verbCall('show my-run'), quietVerbCall('show my-run --json | jq .tasks')]).action(
    onRun(async (run, { output }) => {
      const shown = await run.show();
      if (shown.endedAt === null && !shown.answered && shown.stuck === null) {
        output.notes.line(
          `No worker answers for this run: it waits for one, and only the server was asked. On the local stack: ${startCall('--resume-open')}`,
        );
      }
      const children = shown.children.length === 0 ? [] : await run.children();
      if (output.json) output.value({ ...shown, children });
      else printRun(output.out, shown, { children, webUi: run.webUi });
    }),
  );
}

export function addResult(program: Command): void {
  const verb = runVerb(
    program,
    'result',
    'Wait for the end of a run and print its answer; the exit code tells the outcome. What the run waits for is said on stderr.',
  ).addHelpText('after', OUTCOMES);
  describeVerb(verb, [
    quietVerbCall('result my-run > answer.md'),
    quietVerbCall('result my-run --json | jq .trace.steps'),
  ]).action(
    onRun(async (run, { output }) => {
      const { notes } = output;
      const news = waitReporter(notes.colors);
      if ((await run.show()).endedAt === null)
        notes.line(`Waiting for the end of ${run.id}. Ctrl-C ends the waiting, not the run.`);
      const end = await run.end({
        onWait: state => {
          for (const line of news(state)) notes.line(line);
        },
      });
      if (output.json) output.value({ ...resultLine(end), trace: end.result?.trace ?? null });
      else printAnswer(output, end);
      return exitCodeOf(end.outcome);
    }),
  );
}

const OUTCOMES = `
Exit codes: 0 completed or answered; 3 an answer that was to be verified and was not, cut by a budget or stopped; 1 failed; 130 cancelled;
2 when the call itself was wrong.`;

export function addTranscript(program: Command): void {
  const verb = runVerb(
    program,
    'transcript',
    'Print the conversation of a run as Markdown: what its roles were told, said, called and got. With --json one message a line.',
  ).option('--thread <name>', 'only this one, such as main (default: all, the main one first)');
  describeVerb(verb, [
    quietVerbCall('transcript my-run > my-run.md'),
    quietVerbCall('transcript my-run --json | jq .kind'),
  ]).action(
    onRun(async (run, { output }, { thread }: { thread?: string }) => {
      const transcripts = await run.transcript(definedOptions({ thread }));
      if (!output.json) output.out.line(transcriptMarkdown(run.id, transcripts));
      else
        for (const { thread: name, messages } of transcripts)
          for (const message of messages) output.value({ thread: name, ...message });
    }),
  );
}

export function addArtifact(program: Command): void {
  const verb = runVerb(
    program,
    'artifact',
    'List the artifacts of a run, or print one: a report, code, a plan that it wrote.',
  )
    .argument('[name]', 'id of the artifact (default: list them)')
    .option('--save <file>', 'write its content to this file');
  describeVerb(verb, [
    verbCall('artifact my-run'),
    verbCall('artifact my-run report --save report.md'),
    quietVerbCall('artifact my-run report > report.md'),
  ]).action(async (id: string, name: string | undefined, options: CommonOptions & { save?: string }) => {
    const { save } = options;
    if (name === undefined && save !== undefined)
      throw new SteersmanError(
        '--save takes one artifact, and none is named.',
        `Name it: ${verbCall(`artifact ${id} NAME --save ${save}`)}. To list them: ${verbCall(`artifact ${id}`)}`,
        'usage',
      );
    await withRun(options, id, async (run, { output }) => {
      if (name === undefined) {
        const artifacts = await run.artifacts();
        for (const artifact of artifacts)
          if (output.json) output.value(artifact);
          else output.out.line(artifactLine(artifact));
        if (artifacts.length === 0) output.notes.line(`The run ${run.id} has no artifacts.`);
        return;
      }
      const artifact = await run.artifact(name);
      if (save !== undefined) {
        const file = await saved(artifact.text, save, { what: 'artifact', option: '--save' });
        if (!output.json) output.notes.line(`Wrote ${file}`);
      }
      if (output.json) output.value(artifact);
      else if (save === undefined) output.out.line(artifact.text);
    });
  });
}

export function addExport(program: Command): void {
  const verb = runVerb(
    program,
    'export',
    "Print a run's Temporal history as JSON, the form that replay tests take.",
  ).option('--out <file>', 'write it to this file');
  describeVerb(verb, [
    verbCall('export my-run --out history.json'),
    quietVerbCall('export my-run > history.json'),
  ]).action(
    onRun(async (run, { output }, { out }: { out?: string }) => {
      const { runId, json } = await run.history();
      if (out === undefined) return void output.document(json);
      const file = await saved(`${json}\n`, out, { what: 'history', option: '--out' });
      if (output.json) output.value({ id: run.id, runId, file });
      else output.notes.line(`Wrote ${file}`);
    }),
  );
}

export function addStored(program: Command): void {
  const verb = runVerb(
    program,
    'stored',
    'Print a long text of a run whole: an answer, a report, a result that is shown as head and tail.',
  ).argument('<ref>', 'the reference that stands where the text was cut, such as blob:…');
  describeVerb(verb, [quietVerbCall('stored my-run blob:my-run-1f2e/9a0b > report.md')]).action(
    onRun(async (run, { output }, ref: string) => {
      const text = await run.stored(ref);
      if (output.json) output.value({ id: run.id, ref, text });
      else output.out.line(text);
    }),
  );
}

/** Writes the text; resolves to the path of the file. */
async function saved(text: string, path: string, { what, option }: { what: string; option: string }) {
  const file = userPath(path);
  try {
    await writeFile(file, text);
    return file;
  } catch (error) {
    const why = `The ${what} cannot be written: ${errorText(error)}`;
    throw new SteersmanError(why, `Name another file with ${option}.`, 'host');
  }
}
