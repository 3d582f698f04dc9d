/** The thread of a `compute` call: JavaScript of a model in QuickJS, which can call only the functions defined here. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  type CustomizeVariantOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { decoderOf, encodingOf } from '../text/encoding.js';
import type { Answer, ThreadData } from './call-thread.js';
import { prelude } from './prelude.js';

export interface ComputeData {
  code: string;
  /** The compiled QuickJS module. */
  module: object;
  timeoutMs: number;
}

/** The thread's question to the main thread. */
export interface ComputeQuestion {
  kind: 'read' | 'list';
  path: string;
}

export interface ComputeAnswer {
  ok: boolean;
  text: string;
}

/** Node provides WebAssembly, but its types lack it. */
const { Memory } = Reflect.get(globalThis, 'WebAssembly') as {
  Memory: new (pages: { initial: number; maximum: number }) => object;
};

const PAGES_A_MB = 16;
const MEMORY_MB = 64;
/** A larger stack would overflow outside of the sandbox. */
const STACK_BYTES = 256 * 1024;
const MOST_PRINTED_CHARS = 64 * 1024;
/** `JS_EVAL_FLAG_ASYNC`, which the package does not export: code that awaits returns a promise of `{ value }`. */
const AWAITS = 1 << 7;

const { data, port, flag } = workerData as ThreadData<ComputeData>;
let printed = '';
let lost = 0;

/** The host's time zone is hidden, because it is private and would make results differ. */
Date.prototype.getTimezoneOffset = () => 0;

parentPort?.postMessage(await compute());

async function compute(): Promise<ComputeAnswer> {
  const wasmMemory = new Memory({ initial: 256, maximum: MEMORY_MB * PAGES_A_MB });
  const given = newVariant(
    variant as unknown as QuickJSSyncVariant,
    { wasmModule: data.module, wasmMemory } as CustomizeVariantOptions,
  );
  const runtime = (await newQuickJSWASMModuleFromVariant(given)).newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const deadline = Date.now() + data.timeoutMs;
  runtime.setInterruptHandler(() => Date.now() > deadline);
  const context = runtime.newContext();
  try {
    const { value, error } = evaluate(context);
    const isLate = Date.now() > deadline;
    return {
      ok: error === null && !isLate,
      text: joined(printed, isLate ? outOf(deadline) : (value ?? error ?? '')),
    };
  } catch {
    return { ok: false, text: joined(printed, outOf(deadline)) };
  }
}

function outOf(deadline: number): string {
  return Date.now() > deadline
    ? `Ended after ${data.timeoutMs / 1_000} s: a call may not take longer.`
    : `Out of memory (${MEMORY_MB} MB) or of stack.`;
}

function joined(...texts: readonly string[]): string {
  const more = lost > 0 ? `[… cut: ${lost} more characters printed]` : '';
  return [...texts, more].filter(text => text !== '').join('\n');
}

function evaluate(context: QuickJSContext): { value: string | null; error: string | null } {
  const tools = toolsOf(context);
  const show = (handle: QuickJSHandle, name: 'shown' | 'failure') => {
    const text = context.unwrapResult(context.callFunction(context.getProp(tools, name), tools, handle));
    return context.getString(text);
  };
  let result = context.evalCode(data.code, 'code.js');
  let isAwaited = false;
  if (result.error && context.getString(context.getProp(result.error, 'name')) === 'SyntaxError') {
    // The code may use `await`, or as a function's body also `return`. Text that it printed before this error is
    // discarded.
    for (const [code, flags] of [
      [data.code, AWAITS],
      [`(async () => { ${data.code}\n})()`, undefined],
    ] as const) {
      [printed, lost] = ['', 0];
      const again = context.evalCode(code, 'code.js', flags);
      if (again.error) continue;
      result = again;
      isAwaited = flags === AWAITS;
      break;
    }
  }
  if (result.error) return { value: null, error: show(result.error, 'failure') };
  const jobs = context.runtime.executePendingJobs();
  if (jobs.error) return { value: null, error: show(jobs.error, 'failure') };
  const state = context.getPromiseState(result.value);
  if (state.type === 'rejected') return { value: null, error: show(state.error, 'failure') };
  if (state.type === 'pending')
    return { value: null, error: 'It waits for a promise that nothing resolves.' };
  const value = isAwaited ? context.getProp(state.value, 'value') : state.value;
  return { value: show(value, 'shown'), error: null };
}

/** Defines the model's functions in the sandbox; the returned object stays outside of it. */
function toolsOf(context: QuickJSContext): QuickJSHandle {
  const host = context.newObject();
  const add = (name: string, work: (text: string) => string | undefined) =>
    context.setProp(
      host,
      name,
      context.newFunction(name, text => {
        const given = work(context.getString(text));
        return given === undefined ? context.undefined : context.newString(given);
      }),
    );
  add('read', path => textOf(ask({ kind: 'read', path }) as Uint8Array).replaceAll('\0', '\ufffd'));
  add('list', path => String(ask({ kind: 'list', path })));
  add('print', text => {
    const room = Math.max(0, MOST_PRINTED_CHARS - printed.length);
    if (room > 0) printed += `${printed === '' ? '' : '\n'}${text.slice(0, room)}`;
    lost += Math.max(0, text.length - room);
    return undefined;
  });
  const made = context.unwrapResult(context.evalCode(`(${prelude.toString()})`, 'prelude.js'));
  return context.unwrapResult(context.callFunction(made, context.undefined, host));
}

function ask(question: ComputeQuestion): unknown {
  Atomics.store(flag, 0, 0);
  port.postMessage(question);
  Atomics.wait(flag, 0, 0);
  const answer = receiveMessageOnPort(port)?.message as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

function textOf(bytes: Uint8Array): string {
  return decoderOf(encodingOf(bytes) ?? 'utf-8').decode(bytes);
}
