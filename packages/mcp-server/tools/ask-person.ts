/** An open gate, put to the person behind a client that can ask one (MCP elicitation). Only what they send counts. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type ElicitRequestFormParams, EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { atDeadline } from '@steersman/print';
import { visibleText } from 'steersman/base';
import type { Gate, GateReply } from 'steersman/client';
import { type Chosen, hiddenLines, type Known, partLines, partsOf, replyTo } from 'steersman/rules';
import { choicesOf } from 'steersman/run';
import type { Request } from './tool.js';

/** What a person is asked to consent to is shown whole, or not asked here. */
const MOST_CHARS = 16_000;
/** The wait of the call ends the question: the SDK's own limit of a minute must not. */
const NO_LIMIT_MS = 2_147_483_647;

export interface Question {
  runId: string;
  gate: Gate;
  known: Known;
  /** Aborted when nobody waits for an answer any more: the form is withdrawn. */
  signal: AbortSignal;
}

/** The person's answer; null where the client can't ask, or nobody gave one. */
export async function askPerson(
  { server }: McpServer,
  request: Request,
  question: Question,
): Promise<GateReply | null> {
  const form = gateForm(question);
  if (form === null || server.getClientCapabilities()?.elicitation?.form === undefined) return null;
  try {
    // Clients of the official SDK never take the withdrawal of a request with the id 0, which is the first.
    await request.sendRequest({ method: 'ping' }, EmptyResultSchema, { signal: question.signal });
    const { action, content } = await server.elicitInput(form, {
      signal: question.signal,
      relatedRequestId: request.requestId,
      timeout: NO_LIMIT_MS,
    });
    // Held against the form by the SDK, and judged by the run.
    return action === 'accept' && content ? answerOf(question.gate, content) : null;
  } catch {
    // Withdrawn, not supported after all, or not of the form: nobody has said anything.
    return null;
  }
}

/** Options stand in the message by their letters. */
function answerOf(gate: Gate, content: object): GateReply | null {
  const given = 'text' in content ? { line: String(content.text) } : (content as unknown as Chosen);
  const made = replyTo(gate, given);
  return 'input' in made ? (made.input as GateReply) : null;
}

type Fields = ElicitRequestFormParams['requestedSchema'];

/** The question with what may be answered; null for a gate that is not for a form. Pure. */
function gateForm({ runId, gate, known }: Omit<Question, 'signal'>): ElicitRequestFormParams | null {
  const fields = fieldsOf(gate);
  const parts = [
    `The run ${runId} asks: ${gate.title}`,
    partLines(partsOf(gate)).join('\n'),
    hiddenLines(gate, known).join('\n'),
    gate.deadline === null
      ? ''
      : `Without an answer by ${new Date(gate.deadline).toISOString()}: ${atDeadline(gate)}.`,
  ];
  const message = visibleText(parts.filter(part => part !== '').join('\n\n'));
  return fields === null || message.length > MOST_CHARS ? null : { message, requestedSchema: fields };
}

const REASON = { type: 'string', title: 'Reason', description: 'The agents read it.' } as const;

function fieldsOf(gate: Gate): Fields | null {
  // What takes a list of tasks is no form's matter.
  const choices = choicesOf(gate).filter(choice => choice !== 'edit');
  const decision = { type: 'string', title: 'Decision', enum: choices } as const;
  switch (gate.kind) {
    case 'clientTool':
    case 'form':
      return null;
    case 'question':
      return {
        type: 'object',
        properties: { text: { type: 'string', title: 'Answer', minLength: 1 } },
        required: ['text'],
      };
    case 'budget': {
      const above = Math.max(gate.subject.limit, gate.subject.used);
      const to = {
        type: 'number',
        title: 'New limit',
        description: `With raise: above ${above}.`,
        minimum: above,
      } as const;
      return { type: 'object', properties: { decision, to }, required: ['decision'] };
    }
    case 'failure': {
      const model = { type: 'string', title: 'Model', enum: gate.subject.models } as const;
      const properties = gate.subject.models.length > 0 ? { decision, model } : { decision };
      return { type: 'object', properties, required: ['decision'] };
    }
    case 'approval':
    case 'plan':
    case 'route':
    case 'step':
      return { type: 'object', properties: { decision, reason: REASON }, required: ['decision'] };
  }
}
