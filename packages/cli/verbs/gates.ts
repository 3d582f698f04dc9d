/** `approve`, `deny`, `answer` and `tool-result`: answer the gates of a run. */

import { definedOptions, readJson } from '@steersman/print';
import type { Context } from '@steersman/session';
import { type Command, Option } from 'commander';
import { type Gate, type GateReply, type Run, SteersmanError } from 'steersman/client';
import { type Chosen, type PersonInput, replyTo } from 'steersman/rules';
import { verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb, onRun, runVerb, withRun } from '../command/command.js';
import { readWords } from '../command/start-options.js';

interface ApproveOptions extends CommonOptions {
  always?: 'run' | 'workspace';
  arguments?: string;
  except?: string;
  tasks?: string;
}

function gateVerb(program: Command, name: string, description: string): Command {
  return runVerb(program, name, description).argument(
    '<gate>',
    'id of the gate, such as g1: `show` lists them',
  );
}

export function addApprove(program: Command): void {
  const verb = gateVerb(
    program,
    'approve',
    'Let a run do what it asks for: a tool call, a plan, a change of course.',
  )
    .addOption(
      new Option(
        '--always [where]',
        'and do not ask about this tool again in this run; workspace: nor in your later runs there',
      )
        .choices(['run', 'workspace'])
        .preset('run'),
    )
    .option('--arguments <json>', 'run the tool with these arguments instead')
    .option('--except <json>', 'changes to leave out, with reasons: {"2": "why"}')
    .option(
      '--tasks <json>',
      'carry out these tasks and no others: [{"id", "description"}, …]; omitted fields of an existing task stay',
    );
  describeVerb(verb, [
    verbCall('approve my-run g1'),
    verbCall('approve my-run g1 --always'),
    verbCall('approve my-run g1 --always workspace'),
    verbCall(`approve my-run g1 --arguments '{"path": "notes.md", "content": "…"}'`),
  ]).action(async (id: string, gateId: string, options: ApproveOptions) => {
    const edited = readJson<Record<string, unknown>>('--arguments', options.arguments, 'object');
    const except = readJson<Record<string, string>>('--except', options.except, 'object');
    const tasks = readJson<object[]>('--tasks', options.tasks, 'array');
    const chosen: Chosen = {
      decision: tasks ? 'edit' : options.always ? 'always' : 'approve',
      ...(options.always && !tasks ? { alwaysFor: options.always } : {}),
      ...definedOptions({
        arguments: edited ?? undefined,
        except: except ?? undefined,
        tasks: tasks ?? undefined,
      }),
    };
    await withRun(options, id, (run, context) => reply(run, context, gateId, chosen));
  });
}

export function addDeny(program: Command): void {
  const verb = gateVerb(program, 'deny', 'Refuse what a run asks for; it goes on without it.').option(
    '--reason <text>',
    'why: the model reads it; needed for a plan',
  );
  describeVerb(verb, [verbCall('deny my-run g1 --reason "Write to notes/ only"')]).action(
    onRun(async (run, context, gateId: string, { reason }: { reason?: string }) => {
      await reply(run, context, gateId, { decision: 'deny', ...definedOptions({ reason }) });
    }),
  );
}

export function addAnswer(program: Command): void {
  const verb = gateVerb(
    program,
    'answer',
    'Answer a question of a run, or any other gate by its words.',
  ).argument('<text>', 'the answer, in quotes; - reads it from stdin');
  describeVerb(verb, [
    verbCall('answer my-run g2 "The release of March"'),
    verbCall('answer my-run g3 retry         (a model that failed: retry, m MODEL, stop)'),
    verbCall('answer my-run g4 2000000       (a budget that is used up: a new limit, or w)'),
  ]).action(async (id: string, gateId: string, words: string, options: CommonOptions, command: Command) => {
    const text = await readWords(words, command, 3, 'answer');
    await withRun(options, id, (run, context) => reply(run, context, gateId, { line: text }));
  });
}

export function addToolResult(program: Command): void {
  const verb = gateVerb(
    program,
    'tool-result',
    'Give the result of a tool that you run for the run.',
  ).argument(
    '<json>',
    'the result as JSON or text; {"content": …, "isError": true} says more; - reads stdin',
  );
  describeVerb(verb, [
    verbCall(`tool-result my-run g1 '{"temperature": 21}'`),
    verbCall(`tool-result my-run g1 '{"content": "no such city", "isError": true}'`),
  ]).action(async (id: string, gateId: string, words: string, options: CommonOptions, command: Command) => {
    const text = await readWords(words, command, 3, 'result');
    await withRun(options, id, (run, context) => reply(run, context, gateId, { result: text }));
  });
}

async function findGate(run: Run, gateId: string): Promise<Gate | null> {
  const { gates } = await run.show();
  return gates.find(gate => gate.id === gateId) ?? null;
}

/** Answers the gate that a person has seen under this id. The run validates an edited answer. */
async function reply(run: Run, context: Context, gateId: string, given: PersonInput): Promise<undefined> {
  const gate = await findGate(run, gateId);
  // If the gate is not open, the run gives the best error message.
  const made = gate === null ? { input: given } : replyTo(gate, given);
  if ('error' in made)
    throw new SteersmanError(`${gateId}: ${made.error}`, `${gate?.kind}: ${gate?.title}`, 'usage');
  await run.answerGate(gateId, made.input as GateReply);
  if (context.output.json) context.output.value({ id: run.id, gateId, accepted: true });
  else context.output.out.line(`Answered ${gateId} of ${run.id}. The run goes on.`);
}
