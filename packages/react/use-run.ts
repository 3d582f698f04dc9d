/** A hook for the run of a console. */
import { ask, type Console } from '@steersman/view';
import { useMemo, useSyncExternalStore } from 'react';
import { RunSource, type RunState } from './run-source.js';

export type RunOfHook = RunState & Pick<RunSource, 'send' | 'answer' | 'act' | 'stop'>;

/** Follows a run while the component is mounted. `id`: null for no run yet. */
export function useRun(id: string | null, { url, token }: Console = {}): RunOfHook {
  const source = useMemo(() => new RunSource(id, { url, token }), [id, url, token]);
  const state = useSyncExternalStore(source.subscribe, source.state, source.state);
  const { send, answer, act, stop } = source;
  return { ...state, send, answer, act, stop };
}

export interface StartRunOptions extends Console {
  mode?: string;
  /** The run whose conversation goes on. */
  after?: string;
  workspace?: string;
  /** Time that an answered run waits for a next goal. */
  keepOpenSeconds?: number;
  /** A start that is sent again under its id begins no second run. */
  requestId?: string;
}

/** Starts a run. @throws {AskFault} */
export async function startRun(
  goal: string,
  { url, token, ...options }: StartRunOptions = {},
): Promise<string> {
  const { id } = await ask<{ id: string }>({ url, token }, 'runs', { body: { goal, ...options } });
  return id;
}
