/** `pause`, `resume` and `finish`: switches of a run (S5). */
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import { describeRun, mayBeServed } from '../runs/runs.js';
import { type Switch, sendSwitch } from '../runs/send.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

interface SwitchVerb {
  name: Switch;
  description: string;
  effect: string;
  example: string;
}

const SWITCHES: SwitchVerb[] = [
  {
    name: 'pause',
    description: 'Hold a run before its next model or tool call.',
    effect: 'It holds before its next model or tool call',
    example: 'npm run client -- pause my-run --reason "lunch"',
  },
  {
    name: 'resume',
    description: 'Let a paused run go on.',
    effect: 'It goes on, if it was paused',
    example: 'npm run client -- resume my-run',
  },
  {
    name: 'finish',
    description: 'End a run that is kept open for follow-ups, when its goal is answered and nothing waits.',
    effect: 'It ends when its goal is answered and nothing waits',
    example: 'npm run client -- finish my-run',
  },
];

export function addSwitches(program: Command): void {
  for (const { name, description, effect, example } of SWITCHES) {
    const verb = program.command(name).description(description).argument('<id>', 'id of the run');
    if (name !== 'finish') verb.option('--reason <text>', 'why; the journal keeps it', '');
    describeVerb(verb, [example]).action(
      async (id: string, { reason = '', ...options }: CommonOptions & { reason?: string }) => {
        await withTemporal(options, async ({ temporal, output }) => {
          await sendSwitch(temporal, id, name, reason);
          const served = await mayBeServed(temporal, (await describeRun(temporal, id)).taskQueue);
          if (output.json) output.value({ id, requested: name, served });
          else output.out.line(`Asked ${id} to ${name}. ${effect}.`);
          if (!served) output.notes.line('No worker serves it now (npm start -- --resume-open).');
          return EXIT.ok;
        });
      },
    );
  }
}
