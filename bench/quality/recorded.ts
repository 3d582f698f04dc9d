/** Plays prepared replies by a scripted endpoint, to test the harness. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ScriptedReply, startScriptedModel } from '../../test/support/endpoint/model.js';
import { byRole } from '../../test/support/steering.js';
import { TASKS_FOLDER, type Task } from './tasks.js';

/** A reply in a file, whose text may be an object. */
interface WrittenReply extends Omit<ScriptedReply, 'text'> {
  text?: string | object;
}

/** Replies in order, or a list of replies for each role. */
export type Written = readonly WrittenReply[] | Readonly<Record<string, readonly WrittenReply[]>>;

export interface Recorded {
  baseUrl: string;
  /** True if there are replies of this side to the task. */
  has(task: string, side: string): boolean;
  /**
   * Plays these replies next. If a person sends a message, replies after the first tool call wait until the returned
   * function is called.
   */
  play(task: Task, side: string): () => void;
  close(): Promise<void>;
}

/**
 * `who`: the author of the replies. Replies of `strong` are in `replies/SIDE.json`, those of another author in
 * `replies/SIDE.WHO.json`.
 */
export async function startRecorded(who: string): Promise<Recorded> {
  const fileOf = (task: string, side: string) =>
    join(TASKS_FOLDER, task, 'replies', `${side}${who === 'strong' ? '' : `.${who}`}.json`);
  let script: (request: Request, index: number) => ScriptedReply | Promise<ScriptedReply> = nothing;
  let from = 0;
  let answered = 0;
  const model = await startScriptedModel({
    reply: (request, index) => {
      answered = index + 1;
      return script(request, index - from);
    },
  });
  return {
    baseUrl: model.baseUrl,
    has: (task, side) => existsSync(fileOf(task, side)),
    play({ name, steer }, side) {
      const replies = scriptOf(JSON.parse(readFileSync(fileOf(name, side), 'utf8')));
      let said = () => {};
      const heard = new Promise<void>(resolve => (said = resolve));
      model.forgetCaches();
      from = answered;
      script = async (request, index) => {
        const hasCalled = request.body.messages.some(({ role }) => role === 'tool');
        if (steer !== null && hasCalled) await heard;
        return replies(request, index);
      };
      return () => said();
    },
    close: () => model.close(),
  };
}

type Request = Parameters<ReturnType<typeof byRole>>[0];

const nothing = () => ({ error: { status: 400, message: 'nothing is played' } });

export function scriptOf(written: Written): (request: Request, index: number) => ScriptedReply {
  const read = (replies: readonly WrittenReply[]) =>
    replies.map(({ text = '', ...reply }) => ({
      ...reply,
      text: typeof text === 'string' ? text : JSON.stringify(text),
    }));
  if (!Array.isArray(written)) {
    const roles = Object.entries(written).map(([role, replies]) => [role, read(replies)]);
    return byRole(Object.fromEntries(roles));
  }
  const replies = read(written);
  const message = `there are ${replies.length} replies, and no more`;
  return (_, index) => replies[index] ?? { error: { status: 400, message } };
}
