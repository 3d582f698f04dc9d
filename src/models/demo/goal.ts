/** What a goal asks for, by a list of sentences. A goal with any other sentence is not begun. */
export type Kind = 'files' | 'readme' | 'marks' | 'read' | 'lines' | 'write';
/** One thing that is asked for. `of`: the folder, the file or the marks that it is about. */
export interface Want {
  id: string;
  kind: Kind;
  of: string;
}
export interface Intent {
  /** Answer in Chinese. */
  zh: boolean;
  wants: Want[];
  /** What was said in a sentence that is not on the list; null for nothing. */
  unknown: string | null;
}

const THIS = '(?:(?:this|the|my) (?:folder|directory|project|repo(?:sitory)?|codebase)|here)';
const IN = `(?: (?:of|in) ${THIS}| here)?`;
const HERE = '(?:(?:这个|本|该|当前)?(?:文件夹|目录|项目|仓库)|这里)(?:里面|里|中)?';
const MARKS = '(?<of>(?:TODO|FIXME|XXX)s?(?:/(?:TODO|FIXME|XXX)s?)*)';
const SIGN = '[\\p{L}\\p{N}\\p{M}@+_.-]';
const NAME = `(?:${SIGN}+/)*(?:${SIGN}*\\.[A-Za-z]\\w{0,9}|[A-Z]\\w*file|LICENSE)`;
const FILE = `(?:["'\`“「](?<quoted>[^"'\`”」]+)["'\`”」]|(?<of>${NAME}))`;
const COUNT = '(?:how many|count(?: all)?(?: the)?)';

const SENTENCES: readonly (readonly [kinds: string, form: string])[] = [
  ['files readme marks', `(?:(?:give|show)(?: me)? )?(?:an? |the )?(?:short )?(?:overview|summary)${IN}`],
  ['files readme marks', `(?:summari[sz]e|describe) ${THIS}|(?:写)?(?:${HERE}的)?(?:总结|概述)`],
  ['files readme marks', `(?:总结|概述|介绍)(?:一下)?${HERE}(?:的内容)?`],
  ['files readme', `what(?:'s| is) (?:in )?${THIS}|${HERE}都?有(?:些)?(?:什么|哪些文件)`],
  ['files', `${COUNT} files(?: are)?(?: there)?${IN}|(?:${HERE})?(?:一?共)?有(?:多少|几)个?文件|统计文件`],
  ['files', `${COUNT} files(?: are)?(?: there)? in (?:the folder )?(?<of>(?:${SIGN}+/)*${SIGN}+)/?`],
  ['files', '(?:统计)?(?<of>\\w[\\w/.-]*) ?(?:里|中)?的?(?:一?共)?(?:有(?:多少|几)个?)?文件'],
  ['readme', 'quote the beginning of the README|引用README的开头'],
  ['marks', `what(?:'s| is)?(?: still)? (?:left|remains|open)(?: to do| to be done)?${IN}`],
  [
    'marks',
    '还(?:需要|要|该|有什么要|有什么没|剩什么要|剩下什么要)做(?:什么|的)?|还?有(?:什么|哪些|多少)待办(?:事项)?',
  ],
  [
    'marks',
    `(?:(?:how many|count|list|find|a list of)(?: all)?(?: the)? )?${MARKS}(?: are)?(?: there)?${IN}`,
  ],
  ['marks', `(?:还?有(?:哪些|多少个?)|列出|查找)(?:所有|全部)?的? ?${MARKS}`],
  ['read', `(?:read|show|quote|print|open|look at)(?: me)?(?: the)?(?: file)? ${FILE}`],
  ['read', `what (?:does|is in) ${FILE}(?: say| contain)?`],
  ['read', `(?:读取?|显示|查看|看看|打开)(?:一下)?(?:文件)?${FILE}(?:的内容)?`],
  ['read', `${FILE} ?(?:里面|里|中)?(?:都?有什么|写了什么|说了什么|的内容(?:是什么)?)`],
  ['lines', `${COUNT} lines (?:has|does|are in|are there in|in|of) ${FILE}(?: have)?`],
  ['lines', `(?:统计)?${FILE} ?(?:(?:一?共)?有(?:多少|几)行|的?行数)`],
];
const LIST = SENTENCES.map(([kinds, form]) => [new RegExp(`^(?:${form})$`, 'iu'), kinds.split(' ')] as const);
const TO = '(?:in)?to (?:the |a )?(?:new )?(?:file )?';
/** What is to be written, then the file. */
const WRITES = [
  `(?:write|save|put) (?<what>.+?) ${TO}${FILE}`,
  `(?<what>.+?),? and (?:write|save|put) (?:it|this|that|them) ${TO}${FILE}`,
  `(?:把|将)?(?<what>.+?)[，,]?(?:并|然后)?(?:写入|写到|写进|保存到|保存为)(?:文件)? ?${FILE}(?:里|中)?`,
].map(form => new RegExp(`^${form}$`, 'iu'));

const POLITE =
  /^(?:(?:please|can you|could you|also|请|帮我|再)[, ]*)+|[\s,]*(?:please|thanks|thank you|谢谢)?[\s.!?。！？]*$/giu;
const ENDS = /\s*(?:[,;，；。！？!?]|\.(?=\s|$))\s*(?:(?:and|then) )*| (?:and|then) /iu;
const MOST_CHARS = 1_000;

/** Reads the goal, and what was said later, which adds to it. */
export function readIntent([goal = '', ...later]: readonly string[]): Intent {
  const first = readWish(goal);
  const added = later.map(readWish);
  const wants: Want[] = [];
  for (const { kind, of } of first === null ? [] : [first, ...added].flatMap(wish => wish ?? [])) {
    const same = wants.filter(want => want.kind === kind);
    const id = same.length === 0 ? kind : `${kind}${same.length + 1}`;
    if (!same.some(want => want.of === of)) wants.push({ id, kind, of });
  }
  // The file is written last, with all that was found.
  wants.sort((a, b) => Number(a.kind === 'write') - Number(b.kind === 'write'));
  const missed = later.find((_, at) => added[at] === null) ?? null;
  return {
    zh: /\p{Script=Han}/u.test(goal) && !/[a-z] [a-z]/i.test(goal),
    wants,
    unknown: wants.length === 0 ? goal : missed,
  };
}

/** In one line, without what is said out of courtesy. */
export function plain(said: string): string {
  return said.replace(/\s+/g, ' ').trim().replace(POLITE, '');
}

/** Null where a sentence is not on the list. */
function readWish(said: string): Omit<Want, 'id'>[] | null {
  const wish = plain(said);
  if (wish.length > MOST_CHARS) return null;
  const target = WRITES.map(form => form.exec(wish)?.groups).find(Boolean);
  const clauses = (target?.what ?? wish).split(ENDS).map(plain);
  const read = clauses.filter(clause => clause !== '').map(readClause);
  if (read.includes(null)) return null;
  const path = target?.quoted ?? target?.of;
  return [...read.flatMap(wants => wants ?? []), ...(path ? [{ kind: 'write' as const, of: path }] : [])];
}

function readClause(clause: string): Omit<Want, 'id'>[] | null {
  const [pattern, kinds = []] = LIST.find(([form]) => form.test(clause)) ?? [];
  if (pattern === undefined) return null;
  const { quoted, of = quoted } = pattern.exec(clause)?.groups ?? {};
  const marks = of?.toUpperCase().replace(/S\b/g, '') ?? 'TODO/FIXME/XXX';
  return kinds.map(kind => ({ kind: kind as Kind, of: kind === 'marks' ? marks : (of ?? '.') }));
}
