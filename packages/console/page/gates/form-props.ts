/** What the form of a gate gets. */
import type { Gate, GateKind, ToolInput } from 'steersman/client';
import type { Given } from 'steersman/rules';
import type { Sending } from '../parts/sending.js';

export interface FormProps<K extends GateKind> {
  run: string;
  gate: Extract<Gate, { kind: K }>;
  /** Names the gate among those of all runs. */
  key_: string;
  /** All arguments of its tool call, where a worker tells them. */
  input: ToolInput | null;
  sending: Sending;
  answer(given: Given): void;
}
