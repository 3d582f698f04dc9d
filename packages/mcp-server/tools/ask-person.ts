/** Asks the person behind a client about an open gate, if the client can (MCP elicitation). Only their own reply counts. */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type ElicitRequestFormParams, EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { atDeadline } from '@steersman/print';
import { visibleText } from 'steersman/base';
import type { Gate, GateReply } from 'steersman/client';
import { type Chosen, hiddenLines, type Known, partLines, partsOf, replyTo } from 'steersman/rules';
import { choicesOf } from 'steersman/run';
import type { Request } from './tool.js';

/** A person must see everything that they consent to: a longer gate is not asked here. */
const MOST_CHARS = 16_000;
/** The call's own wait limits the question, so the SDK's limit of a minute is disabled. */
const NO_LIMIT_MS = 2_147_483_647;

export interface Question {
  runId: string;
  gate: Gate;
  known: Known;
  /** Aborted when the answer is no longer needed: this withdraws the form. */
  signal: AbortSignal;
}

/** Returns the person's answer; null if the client can't ask, or the person gave no answer. */
export async function askPerson(
  { server }: McpServer,
  request: Request,
  question: Question,
): Promise<GateReply | null> {
  const form = gateForm(question);
  if (form === null || server.getClientCapabilities()?.elicitation?.form === undefined) return null;
  try {
    // Clients of the official SDK ignore the withdrawal of the request with id 0, which is the first: a ping takes that id.
    await request.sendRequest({ method: 'ping' }, EmptyResultSchema, { signal: question.signal });
    const { action, content } = await server.elicitInput(form, {
      signal: question.signal,
      relatedRequestId: request.requestId,
      timeout: NO_LIMIT_MS,
    });
    // The SDK has validated it against the form; the run validates it further.
    return action === 'accept' && content ? answerOf(question.gate, content) : null;
  } catch {
    // The question was withdrawn, is unsupported, or got an invalid answer: there is no answer.
    return null;
  }
}

/** The message lists options by their letters. */
function answerOf(gate: Gate, content: object): GateReply | null {
  const given = 'text' in content ? { line: String(content.text) } : (content as unknown as Chosen);
  const made = replyTo(gate, given);
  return 'input' in made ? (made.input as GateReply) : null;
}

type Fields = ElicitRequestFormParams['requestedSchema'];

/** Returns the question and the schema of its answer; null for gates that need no form. Pure. */
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
  // An edited list of tasks does not fit into a form.
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
