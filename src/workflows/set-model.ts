/** The one way in which the model of a role in flight changes. */
import type { PinnedRole } from '../core/role.js';
import type { Run } from './run.js';

/** From its next call on the role has this model alone. */
export function setModel({ state: { models } }: Run, { name }: PinnedRole, model: string): void {
  models.chains[name] = [model];
  models.index[name] = 0;
}
