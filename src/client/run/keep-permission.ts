/** Answers to gates, and what a person allows for good with them: kept for this user, and the workspace of the run. */
import { SteersmanError } from '../../shared/errors.js';
import { keepPermission } from '../../stack/trust/kept-permissions.js';
import { placeOf, type Temporal } from '../connect.js';
import { type RunSnapshot, readSnapshot } from './run-snapshot.js';
import { answerGate, type GateReply } from './send.js';

/** Answers the gate; `alwaysFor: 'workspace'` is kept when the run has taken the answer. */
export async function answerAndKeep(
  temporal: Temporal,
  id: string,
  { gateId, ...reply }: { gateId: string } & GateReply,
): Promise<void> {
  const { alwaysFor, ...answer } = { alwaysFor: 'run', ...reply };
  const asked = alwaysFor === 'workspace' ? await readSnapshot(temporal, id) : null;
  await answerGate(temporal, id, { gateId, ...answer });
  if (asked) await keepFor(temporal, asked, gateId);
}

async function keepFor(temporal: Temporal, { gates, workspace }: RunSnapshot, gateId: string): Promise<void> {
  const gate = gates.find(({ id }) => id === gateId);
  if (gate?.kind !== 'approval' || workspace === null) {
    throw new SteersmanError(
      `The run has the answer to ${gateId}, but it is not kept for its workspace: no worker told what it is about.`,
      'Allow it at the next gate.',
      'unserved',
    );
  }
  const { tool, digest = '' } = gate.subject;
  keepPermission(placeOf(temporal, workspace), tool, digest);
}
