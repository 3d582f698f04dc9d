/** Clients of AG-UI for tests, of both versions of the protocol, and each event that they got, held against the schema of 1.0. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpAgent as Agent0 } from 'ag-ui-client-0';
import { HttpAgent as Agent1 } from 'ag-ui-client-1';
import { EventSchema } from 'ag-ui-core-1/schemas';
import { afterAll, beforeAll } from 'vitest';
import { Links } from '../../packages/console/links.js';
import { type ConsoleServed, serveConsole } from '../../packages/console/serve.js';
import { connect, type SteersmanClient } from '../../src/client/index.js';
import type { Rig } from './rig.js';

const AGENTS = { '0.0.59': Agent0, '1.0.0': Agent1 };
export type AgUiVersion = keyof typeof AGENTS;
export const AG_UI_VERSIONS = Object.keys(AGENTS) as AgUiVersion[];

type ToldEvent = { type: string } & Record<string, unknown>;

export interface AgUiRig {
  client: SteersmanClient;
  url: string;
  token: string;
  /** Its requests' events, each checked, are in `told`, those of each request in a list of its own. */
  agent(version: AgUiVersion, threadId: string): { agent: Agent1; told: ToldEvent[][] };
}

/** A client of this version that was told these events in one request: it throws where their order is none. */
export async function clientAfter(version: AgUiVersion, events: readonly object[]): Promise<Agent1> {
  const lines = events.map(event => {
    const json = JSON.stringify(event);
    checkedEvent(json);
    return `data: ${json}\n\n`;
  });
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(lines.join(''), { headers });
  const agent = new AGENTS[version]({ url: 'http://here/ag-ui', threadId: 't', fetch });
  await agent.runAgent();
  return agent as unknown as Agent1;
}

/** A console over the rig's Temporal for all tests of a file. */
export function agUiOfFile(rig: Rig): AgUiRig {
  const home = mkdtempSync(join(tmpdir(), 'ag-ui-'));
  const own = {} as AgUiRig;
  let served: ConsoleServed | undefined;
  beforeAll(async () => {
    process.env.STEERSMAN_TASK_QUEUE = rig.taskQueue;
    const client = await connect({ temporal: { client: rig.env.client }, home });
    served = await serveConsole({
      ...{ client, home, port: 0, workspace: rig.project.workspace },
      report: () => undefined,
    });
    const links = new Links(home);
    const token = links.redeem(links.create()) ?? '';
    const url = new URL('/ag-ui', served.link()).href;
    const agent: AgUiRig['agent'] = (version, threadId) => {
      const told: ToldEvent[][] = [];
      const headers = { authorization: `Bearer ${token}` };
      const one = new AGENTS[version]({ url, threadId, headers, fetch: listening(told) });
      // Both have the same methods, with types of their own.
      return { agent: one as unknown as Agent1, told };
    };
    Object.assign(own, { client, url, token, agent });
  });
  afterAll(async () => {
    await served?.close();
    await own.client?.close();
    rmSync(home, { recursive: true, force: true });
  });
  return own;
}

/** As the bytes come, before any client has had its way with them. */
function listening(told: ToldEvent[][]): typeof fetch {
  return async (...asked) => {
    const answer = await fetch(...asked);
    const mine: ToldEvent[] = [];
    told.push(mine);
    const decoder = new TextDecoder();
    let rest = '';
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) if (part.startsWith('data: ')) mine.push(checkedEvent(part.slice(6)));
        controller.enqueue(bytes);
      },
    });
    return new Response(answer.body?.pipeThrough(tap), { status: answer.status, headers: answer.headers });
  };
}

function checkedEvent(json: string): ToldEvent {
  const event = JSON.parse(json) as ToldEvent;
  const { error } = EventSchema.safeParse(event);
  if (error) throw new Error(`no event of AG-UI 1.0: ${json.slice(0, 500)}\n${error.message}`);
  return event;
}
