/** Steering and gates in tests: prompts and replies of the roles that steer, and scripts by role. */
import type { WorkflowHandle } from '@temporalio/client';
import { byRole as plainByRole } from '../../packages/test-kit/by-role.js';
import {
  type EnvelopeParts,
  execution,
  plan,
  envelope as textEnvelope,
  intent as textIntent,
  route as textRoute,
  verdict,
} from '../../packages/test-kit/role-outputs.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { Message } from '../../src/run/messages/message.js';
import { textOf } from '../../src/run/messages/message.js';
import type { IntentAction, Route, TaskRelation } from '../../src/run/outputs/contracts.js';
import type { Receipt } from '../../src/run/steering/receipt.js';
import { answerGateUpdate, stateQuery } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedReply, ScriptedToolCall } from './endpoint/model.js';
import { eventsOf, transcriptOf } from './run-views.js';
import { until } from './wait.js';

export { roleOf } from '../../packages/test-kit/by-role.js';

type RoleScript = readonly ScriptedReply[] | ((request: ChatRequest, nth: number) => ScriptedReply);

/** As programs have it, with all that the strict model knows. */
export const byRole = plainByRole as (
  scripts: Readonly<Record<string, RoleScript>>,
) => (request: ChatRequest, index: number) => ScriptedReply;

/** Contents of `steersman.yaml` with these lines after the models. */
export function settingsYaml(...lines: string[]): string {
  return ['models:', '  default: openai/gpt-5-mini', ...lines, ''].join('\n');
}

const OUTPUT_OF = {
  understanding: 'intent',
  router: 'route',
  reviewer: 'review',
  orchestrator: 'orchestration',
} as const;
export type SteeringRole = keyof typeof OUTPUT_OF;

/** Short prompts of the steering roles, over the project's own: tests depend on the form only. */
export function steeringPrompts(): Record<string, string> {
  const files = (Object.keys(OUTPUT_OF) as SteeringRole[]).map(role => {
    const title = role[0]?.toUpperCase() + role.slice(1);
    const head = `description: A role of tests.\nmemory: private\noutput: ${OUTPUT_OF[role]}`;
    return [`prompts/core/${role}.md`, `---\n${head}\n---\n# ${title}\n\n{{businessContext}}\n`];
  });
  return Object.fromEntries(files);
}

export const planned: ScriptedReply = { text: plan({ todos: ['Do it'] }) };
export const content: ScriptedReply = { text: verdict({ summary: 'It was done as it was asked for.' }) };
export const reported = (summary = 'It was done, with a real result.'): ScriptedReply => ({
  text: execution({ summary, taskCompleted: true }),
});
export const calls = (...toolCalls: ScriptedToolCall[]): ScriptedReply => ({ toolCalls });
export const never = new Promise<never>(() => undefined);

/** A promise and what resolves it. */
export function latch(): { until: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { until: opened, open };
}

const SURE = { confidence: 95 };

function envelope(action: string, params: object, given: EnvelopeParts = {}): { text: string } {
  return { text: textEnvelope(action, params, { ...SURE, ...given }) };
}

/** An understanding role's reply. `confidence` is the relation's, from 0 to 1. */
export function intent(
  relation: TaskRelation,
  { confidence = 0.95, ...parts }: { action?: IntentAction } & EnvelopeParts = {},
): { text: string } {
  return { text: textIntent({ relation, sure: confidence, ...SURE, ...parts }) };
}

/** A router's reply. */
export function route(
  name: Route,
  parts: Omit<Parameters<typeof textRoute>[0], 'route'> = {},
): { text: string } {
  return { text: textRoute({ route: name, ...SURE, ...parts }) };
}

export function review(
  approved: boolean,
  requiredFixes: string[] = [],
  meta: EnvelopeParts = {},
): { text: string } {
  const params = { approved, score: approved ? 90 : 30, feedback: 'As it says.', requiredFixes };
  return envelope('REVIEW_RESULT', params, meta);
}

export function proposal(action: string, params: object, meta: EnvelopeParts = {}): { text: string } {
  return envelope(action, { reason: 'So that the goal is reached.', ...params }, meta);
}

/** A role's question in place of its output. */
export function clarification(question: string): { text: string } {
  return envelope('CLARIFICATION_REQUIRED', { question }, { confidence: 20 });
}

/** Waits until a gate of this kind is open. */
export async function openGateOf<K extends Gate['kind']>(
  handle: WorkflowHandle,
  kind: K,
): Promise<Extract<Gate, { kind: K }>> {
  const isOfKind = (gate: Gate): gate is Extract<Gate, { kind: K }> => gate.kind === kind;
  return until(`a gate of kind ${kind} is open`, async () =>
    (await handle.query(stateQuery)).gates.find(isOfKind),
  );
}

/** Waits for a gate and answers it. */
export async function answer(
  handle: WorkflowHandle,
  kind: Gate['kind'],
  given: Record<string, unknown>,
): Promise<string> {
  const { id: gateId } = await openGateOf(handle, kind);
  await handle.executeUpdate(answerGateUpdate, { args: [{ gateId, ...given }] });
  return gateId;
}

/** Statuses of a message's receipts, in order. */
export async function receiptsOf(handle: WorkflowHandle, id: string): Promise<Receipt['state'][]> {
  return (await eventsOf(handle, 'receipt')).filter(event => event.id === id).map(event => event.state);
}

/** Waits until a message has been accepted. */
export async function accepted(handle: WorkflowHandle, id: string): Promise<void> {
  await until(`${id} is accepted`, async () => (await receiptsOf(handle, id)).length > 0);
}

/** The main thread in short, without the prompts of roles: `user:steer text`, `assistant`, `tool skipped`. */
export async function outline(handle: WorkflowHandle): Promise<string[]> {
  return (await saidIn(handle)).map(lineOf);
}

async function saidIn(handle: WorkflowHandle): Promise<Message[]> {
  const isPrompt = (message: Message) => message.kind === 'user' && message.purpose === 'role';
  return (await transcriptOf(handle)).filter(message => !isPrompt(message));
}

/** What stands in the conversation from the instruction of a task to the next instruction. */
export async function outlineOfTask(handle: WorkflowHandle, taskId: string): Promise<string[]> {
  const messages = await saidIn(handle);
  const isInstruction = (message: Message) => message.kind === 'user' && message.purpose === 'instruction';
  const begin = messages.findIndex(
    message => isInstruction(message) && 'taskId' in message && message.taskId === taskId,
  );
  if (begin < 0) throw new Error(`${taskId} was not begun`);
  const work = messages.slice(begin + 1);
  const end = work.findIndex(isInstruction);
  return (end < 0 ? work : work.slice(0, end)).map(lineOf);
}

function lineOf(message: Message): string {
  switch (message.kind) {
    case 'user':
      return message.purpose === 'instruction' ? 'instruction' : `${message.purpose}: ${textOf(message)}`;
    case 'assistant':
      return `assistant${message.stopReason === 'interrupted' ? ' interrupted' : ''}`;
    case 'tool_result':
      return `tool ${message.content[0].ending}`;
    default:
      return message.kind;
  }
}
