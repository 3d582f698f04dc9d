/** `permissions`: lists and removes the permanently allowed tools of each workspace. */

import { userPath } from '@steersman/print';
import type { Command } from 'commander';
import { forgetPermissions, type SavedPermission, savedPermissions } from 'steersman/client';
import { createOutput, realOrSame, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb } from '../command/command.js';

export function addPermissions(program: Command): void {
  const permissions = program
    .command('permissions')
    .description('Tools that you have allowed permanently, by the workspace of the runs that asked.');
  const list = permissions.command('list').description('List the permanently allowed tools, by workspace.');
  describeVerb(list, [verbCall('permissions list')]).action((options: CommonOptions) => {
    show(options, savedPermissions(), 'No tool is allowed permanently.');
  });
  const forget = permissions
    .command('forget')
    .description('Take such permissions back: runs that start from now on ask again.')
    .argument('[workspace]', 'folder of the runs', '.')
    .option('--tool <name>', 'this tool alone');
  describeVerb(forget, [
    verbCall('permissions forget ../site'),
    verbCall('permissions forget --tool write'),
  ]).action(async (workspace: string, { tool, ...options }: CommonOptions & { tool?: string }) => {
    const gone = forgetPermissions(realOrSame(userPath(workspace)), tool);
    show(options, gone, 'No such tool was allowed permanently.');
  });
}

function show(options: CommonOptions, kept: readonly SavedPermission[], none: string): void {
  const { json, out, notes, value } = createOutput(options);
  for (const each of kept) {
    const where = each.server === null ? each.workspace : `${each.workspace} on ${each.server}`;
    if (json) value(each);
    else out.line(`${where}: ${each.tools.join(', ')}`);
  }
  if (kept.length === 0) notes.line(none);
}
