/** `pause`, `resume`, `finish`, `stop` and `cancel`: what a run is asked to do. */
import type { Command } from 'commander';
import type { Asked, Run } from '../../client/index.js';
import { startCall, verbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';

interface SwitchVerb {
  name: string;
  description: string;
  ask(run: Run, reason: string): Promise<Asked>;
  /** What the run does then. */
  effect: string;
  takesReason: boolean;
  example: string;
}

const SWITCHES: SwitchVerb[] = [
  {
    name: 'pause',
    description: 'Hold a run before its next model or tool call.',
    ask: (run, reason) => run.pause(reason),
    effect: 'It holds before its next model or tool call',
    takesReason: true,
    example: 'pause my-run --reason "lunch"',
  },
  {
    name: 'resume',
    description: 'Let a paused run go on, and its sub-agents, whoever paused them.',
    ask: (run, reason) => run.resume(reason),
    effect: 'It and its sub-agents go on, if they were paused',
    takesReason: true,
    example: 'resume my-run',
  },
  {
    name: 'finish',
    description: 'End a run that is kept open for follow-ups, when its goal is answered and nothing waits.',
    ask: run => run.finish(),
    effect: 'It ends when its goal is answered and nothing waits',
    takesReason: false,
    example: 'finish my-run',
  },
  {
    name: 'stop',
    description: 'Ask a run to end with what there is, without another model call.',
    ask: (run, reason) => run.stop(reason),
    effect: 'It ends with what there is',
    takesReason: true,
    example: 'stop my-run --reason "the goal was wrong"',
  },
  {
    name: 'cancel',
    description: "Cancel a run: Temporal's own way. `stop` is the gentler one.",
    ask: run => run.cancel(),
    effect: 'It ends as cancelled',
    takesReason: false,
    example: 'cancel my-run',
  },
];

export function addSwitches(program: Command): void {
  for (const { name, description, ask, effect, takesReason, example } of SWITCHES) {
    const verb = program.command(name).description(description).argument('<id>', 'id of the run');
    if (takesReason) verb.option('--reason <text>', 'why; the journal keeps it', '');
    describeVerb(verb, [verbCall(example)]).action(
      async (id: string, { reason = '', ...options }: CommonOptions & { reason?: string }) => {
        await withRun(options, id, async (run, { output }) => {
          const { served } = await ask(run, reason);
          if (output.json) output.value({ id, requested: name, served });
          else output.out.line(`Asked ${id} to ${name}. ${effect}.`);
          if (!served)
            output.notes.line(
              `No worker serves it now: it does when one does (${startCall('--resume-open')}).`,
            );
          return EXIT.ok;
        });
      },
    );
  }
}
