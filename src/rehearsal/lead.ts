/** Lead rules: each kind of work goes to an agent that searches, and their texts are put together. */
import { labelLine } from './answer.js';
import type { Conversation } from './conversation.js';
import { topicsOf, workFor } from './goal.js';
import type { Topic, Work } from './goal-words.js';
import { plural } from './markdown.js';
import type { RuleReply } from './reply.js';
import { plainReply } from './reply.js';
import { type Seen, say } from './scope.js';

const AGENT = 'search';
const CALL = 'call_subagent';
const PLAN = 'task_plan';

/** By these words an agent, which reads its instruction as a goal, knows what is wanted. */
const ASKED: Readonly<Record<Topic, readonly [english: string, chinese: string]>> = {
  readme: ['the README', '自述文件'],
  tree: ['the structure', '结构'],
  lines: ['the lines by language', '行数'],
  largest: ['the largest files', '最大的文件'],
  todos: ['each TODO and FIXME', '待办'],
  headings: ['the headings', '标题'],
  dependencies: ['the dependencies', '依赖'],
};

/** The next step of who leads; null where there is nobody to hand over to, or only one piece of work. */
export function leadReply({ brief, tools, calls }: Conversation, seen: Seen): RuleReply | null {
  const hasAgent = tools.includes(CALL) && (brief?.text ?? '').includes(`\n- ${AGENT}: `);
  const pieces = workFor(seen.intent).filter(work => work !== 'write');
  if (!hasAgent || pieces.length < 2) return null;
  const instructions = pieces.map(work => instructionFor(work, seen));
  const results = instructions.map(text => calls.find(call => call.args.instruction === text) ?? null);
  const wasCalled = (name: string) => calls.some(call => call.name === name);
  const content = instructions
    .map((text, at) => `- [${results[at] === null ? ' ' : 'x'}] ${AGENT}: ${text}`)
    .join('\n');
  if (tools.includes('create_artifact') && !wasCalled('create_artifact'))
    return callsOf('create_artifact', [{ id: PLAN, type: PLAN, title: say(seen, 'Plan', '计划'), content }]);
  const open = instructions.filter((_, at) => results[at] === null);
  if (open.length > 0)
    return callsOf(
      CALL,
      open.map(instruction => ({ agent_name: AGENT, instruction })),
    );
  if (tools.includes('rewrite_artifact') && !wasCalled('rewrite_artifact'))
    return callsOf('rewrite_artifact', [{ id: PLAN, content }]);
  const texts = results.map(result => withoutLabel(result?.text ?? ''));
  const early = texts.map(text => EARLY.exec(text)?.[0].trimEnd()).find(Boolean);
  const parts = [labelLine(seen), ...(early ? [early] : []), ...texts.map(text => text.replace(EARLY, ''))];
  return plainReply('Puts the texts of the agents together.', parts.join('\n\n'));
}

/** Why an answer is one of work that a limit ended. */
export function earlyEnd(seen: Seen, why: string): string {
  return say(seen, `The work ended early: ${why}. `, `工作提前结束：${why}。`);
}

/** What an agent says of that: it is said once of all of them. */
const EARLY = /^(?:The work ended early: |工作提前结束：)[^\n]*(?:\n\n|$)/;

function callsOf(name: string, given: Record<string, unknown>[]): RuleReply {
  const text = `${plural(given.length, 'call')} of ${name}.`;
  return { thought: 'Leads by rules.', text, calls: given.map(args => ({ name, arguments: args })) };
}

function instructionFor(work: Work, seen: Seen): string {
  const { files, words, folders } = seen.intent;
  const wanted = [
    ...(work === 'read' ? files : []),
    ...topicsOf(work, seen.intent).map(topic => say(seen, ...ASKED[topic])),
    ...(work === 'source' ? words : []).map(word => say(seen, `where is "${word}"`, `查找“${word}”`)),
    // A survey may be all that a folder's name asks for.
    ...(work === 'survey' && topicsOf(work, seen.intent).length === 0 ? [say(seen, ...ASKED.tree)] : []),
  ].join(say(seen, ', ', '、'));
  const where =
    folders.length === 0 ? '' : say(seen, ` in ${folders.join(', ')}`, `（${folders.join('、')}）`);
  return say(seen, `Report ${wanted}${where}.`, `报告：${wanted}${where}。`);
}

/** The line of an agent that says who wrote it stands once. */
function withoutLabel(text: string): string {
  return text.replace(/^\*[^\n]*\*\n\n/, '');
}
