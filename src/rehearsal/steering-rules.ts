/**
 * Rules for the roles that steer a run. Only a message that is a control instruction and
 * nothing else is taken for one; all others go to the roles as notes, whose rules read them as wishes.
 */
import type { Control } from '../core/outputs/intent.js';
import { tagged } from './briefs.js';
import type { RuleReply } from './reply.js';
import { envelopeReply, LABEL, LABEL_ZH } from './reply.js';

const BEFORE = `(?:(?:ok|okay|hey|now|and),? +)?(?:please +|can you +|could you +)?`;
const AFTER = `(?:,? +(?:it|this|that|here|now|everything|working|please|the (?:run|work|goal)|this run|for now|for a (?:moment|minute|while)|with (?:it|that|the (?:run|work))))*`;
const WORDS: Readonly<Record<Control, RegExp>> = {
  cancel: sentence('stop|cancel|abort|quit|give up|end', '停止|停下|停|取消|终止|结束|放弃'),
  pause: sentence(
    'pause|wait|hold on|hold|stop for a (?:moment|minute|while)',
    '暂停|等一下|等一等|等等|先等等',
  ),
  continue: sentence(
    'continue|resume|go on|carry on|proceed|go ahead|keep going',
    '继续|接着|恢复|接着做|继续做',
  ),
  status: sentence(
    "(?:show |give |tell )?(?:me )?(?:the )?(?:status|progress)|how far are you|how is it going|how's it going|where are you|what are you doing",
    '(?:查看|显示|报告|看看)?(?:状态|进度|进展)(?:如何|怎么样|怎样)?|进行得怎么样了?|到哪里?了|在做什么',
  ),
};

function sentence(english: string, chinese: string): RegExp {
  const inChinese = `(?:请|麻烦)?(?:先|现在|你)?(?:${chinese})(?:这次)?(?:运行|任务|工作|执行)?(?:一下|吧|了|吗)?`;
  return new RegExp(`^(?:${BEFORE}(?:${english})${AFTER}|${inChinese})[.!?…。！？\\s]*$`, 'iu');
}

/** The control instruction that a message is, or null. `pause` goes first, for "stop for a moment" is one. */
export function controlIn(message: string): Control | null {
  const text = message.trim().replace(/\s+/g, ' ');
  const order = ['pause', 'cancel', 'continue', 'status'] as const;
  return order.find(control => WORDS[control].test(text)) ?? null;
}

/** What the brief of a steering role holds: the answer of the user, where there was a question, else the message. */
function messageIn(brief: string): string {
  return tagged(brief, 'user_answer') || tagged(brief, 'user_message');
}

const MODESTLY = {
  risk: { level: 'low', description: 'Rules may have missed what was meant.' },
  confidence: 75,
} as const;

/** Says that a message is a control instruction, or a note that changes nothing in the plan. */
export function understand(brief: string): RuleReply {
  const message = messageIn(brief);
  const control = controlIn(message);
  const isNote = control === null;
  const noted = /\p{Script=Han}/u.test(message)
    ? `${LABEL_ZH}您的话会作为附注交给各个角色。`
    : `${LABEL} Your message goes to the roles as a note.`;
  return envelopeReply(isNote ? 'Takes the message as a note.' : `Reads the word for ${control}.`, {
    action: 'INTENT_ANALYSIS',
    params: {
      normalizedIntent: {
        goal: message || LABEL,
        // As the table in core/steering/route.ts takes it.
        action: isNote ? 'modify' : control === 'status' ? 'query' : control,
        scope: isNote ? 'partial_task' : 'meta_control',
        urgency: 'medium',
      },
      taskRelation: {
        type: isNote ? 'same_task_no_change' : 'control_instruction',
        confidence: isNote ? 75 : 95,
        reasoning: 'Rules compare the message with a list of words, no more.',
      },
      contextDependency: {
        needsCurrentTaskContext: false,
        needsExecutionHistory: false,
        referencedEntities: [],
      },
    },
    expectedOutcome: 'The router can decide.',
    ...MODESTLY,
    ...(isNote ? { userMessage: noted } : {}),
  });
}

/** Routes by the same words. */
export function route(brief: string): RuleReply {
  const control = controlIn(messageIn(brief));
  const reason = control === null ? 'A note changes nothing in the plan.' : `The message says ${control}.`;
  return envelopeReply(reason, {
    action: 'ROUTE_DECISION',
    params: {
      route: control === null ? 'continue_execution' : 'control_action',
      payload: { reason, requiresConfirmation: false, ...(control === null ? {} : { control }) },
    },
    expectedOutcome: 'The run goes on, or obeys.',
    ...MODESTLY,
  });
}

/** What a reviewer or an orchestrator is asked: a person has to decide, where one is there. */
export function cannotJudge(): RuleReply {
  const message =
    'Rules can neither review anything beyond what the run has checked itself nor tell how to go on.';
  return envelopeReply(message, {
    action: 'ESCALATE',
    params: {
      errorType: 'context_missing',
      message: `${LABEL} ${message}`,
      suggestion: 'Decide yourself, or use a real model for this role.',
    },
    expectedOutcome: 'A person decides.',
    risk: { level: 'high', description: 'Nobody has judged it.' },
    confidence: 0,
    requiresUserConfirmation: true,
  });
}
