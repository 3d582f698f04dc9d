/** Parses a goal by a list of sentence forms. The model does not begin a goal that contains any other sentence. */
export type Kind = 'files' | 'readme' | 'marks' | 'read' | 'write';
/** A single thing that the goal asks for. `of`: a file, or the marks (TODO, FIXME) that are searched in `folder`. */
export interface Want {
  kind: Kind;
  of: string;
  folder: string;
}

const SIGN = String.raw`[\p{L}\p{N}\p{M}@+_.-]`;
const NAME = String.raw`(?:${SIGN}+/)*(?:${SIGN}*\.[A-Za-z]\w{0,15}|[A-Z]\w*file|LICENSE|README)`;
const FILE = String.raw`(?:the )?(?:["'\x60“「](?<quoted>[^"'\x60”」]+)["'\x60”」]|(?<of>${NAME}))`;
const MARKS = '(?<of>(?:TODO|FIXME|XXX)s?(?:/(?:TODO|FIXME|XXX)s?)*)';
const FOLDER = '(?:folder|directory|project|repo(?:sitory)?|codebase)';
const THIS = `(?:(?:this|my|the(?: current)?) ${FOLDER}|here)`;
const IN = `(?: (?:(?:of|in) )?${THIS}| in (?:the )?(?:${FOLDER} )?(?<folder>(?:${SIGN}+/)*${SIGN}+)/?(?: ${FOLDER})?)?`;
const HERE = '(?:(?:这个|本|该|当前)?(?:文件夹|目录|项目|仓库|代码库)|这里)(?:里面|里|中)?';
const WHERE = `(?:${HERE}|(?<folder>(?:${SIGN}|/)+?) ?(?:里面|里|中))?的?`;

/** Each line: the kinds of want, then a pattern of the sentences that ask for them. */
const SENTENCES = `
files readme marks: (?:(?:give|show)(?: me)? )?(?:an? |the )?(?:short |brief )?(?:overview|summary)(?: of ${THIS})?
files readme marks: (?:summari[sz]e|describe|tell me about) (?:the contents of |what(?:'s| is) in )?${THIS}
files readme marks: (?:总结|概述|介绍)(?:一下)?${HERE}(?:的内容)?|(?:写)?(?:${HERE}的)?(?:总结|概述)
files readme: what(?:'s| is) (?:in ${THIS}|here)|${HERE}都?有些?什么
files: (?:(?:list|show)(?: me)?(?: the)?|what|which|how many|count(?: all)?(?: the)?) files(?: are)?(?: there)?${IN}
files: (?:统计|列出)?${WHERE}(?:都?有哪些|(?:一?共)?有(?:多少|几)个?)?文件
marks: what(?:'s| is)(?: still)? left(?: to (?:do|be done))?${IN}
marks: (?:(?:how many|count|list|find|show(?: me)?|a list of)(?: all)?(?: the)? )?${MARKS}(?: are)?(?: there)?${IN}
marks: 还(?:(?:需要|要|该)做什么|有什么[要没]做的?)|还?有(?:什么|哪些|多少)待办(?:事项)?
marks: (?:列出|查找)?${WHERE}(?:还?有(?:哪些|多少个?))?(?:所有|全部)?的? ?${MARKS}
read: (?:read|show|print|open|look at)(?: me)?(?: the contents of)?(?: the file)? ${FILE}(?: file)?
read: what(?: does|'s in| is in) ${FILE}(?: say| contain)?
read: (?:读取?|显示|查看|看看|打开)(?:一下)?(?:文件)? ?${FILE}(?:的内容)?
read: ${FILE} ?(?:里面|里|中)?(?:都?有什么|写了什么|的内容(?:是什么)?)`;
const LIST = [...SENTENCES.matchAll(/^([a-z ]+): (.*)$/gm)].map(([, kinds = '', form]) => ({
  kinds: kinds.split(' ') as Kind[],
  form: new RegExp(`^(?:${form})$`, 'iu'),
}));
/** Each pattern names the content to write, then the file. */
const TO = `(?:in)?to (?:a )?(?:new )?(?:file )?${FILE}`;
const WRITES = [
  `(?:write|save|put) (?<what>.+?) ${TO}`,
  `(?<what>.+?),? and (?:write|save|put) (?:it|this|that|them) ${TO}`,
  `(?:把|将)?(?<what>.+?)[，,]?(?:并|然后)?(?:写入|写到|保存到|保存为)(?:文件)? ?${FILE}(?:里|中)?`,
].map(form => new RegExp(`^${form}$`, 'iu'));
const POLITE =
  /^(?:(?:please|can you|could you|also|now|请|帮我|再)[, ]*)+|[\s,]*(?:please|thanks|thank you|谢谢)?[\s.!?。！？]*$/giu;
const ENDS = /\s*(?:[,;，；。！？!?]|\.(?=\s|$))\s*(?:(?:and|then) )*| (?:and|then) /iu;

/** Parses the goal and the later messages, which add to it. */
export function readIntent([goal = '', ...later]: readonly string[]) {
  const first = readWish(goal);
  const wanted = first && [first, ...later.map(readWish)].flatMap(wish => wish ?? []);
  const wants = [...new Map(wanted?.map(want => [JSON.stringify(want), want])).values()];
  return {
    wants,
    /** The first later message that is not on the list, or the goal if nothing is understood; null if all is understood. */
    unknown: wants.length === 0 ? goal : (later.find(wish => readWish(wish) === null) ?? null),
    isChinese: /\p{Script=Han}/u.test(goal) && !/[a-z] [a-z]/i.test(goal),
  };
}

/** Returns the text in one line, without words of courtesy. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(POLITE, '');
}

/** Returns null if a clause matches no entry of `LIST`. A write comes last, because it writes the results of the other clauses. */
function readWish(said: string): Want[] | null {
  const wish = plain(said);
  if (wish.length > 1_000) return null;
  const write = WRITES.map(form => form.exec(wish)?.groups).find(Boolean);
  const clauses = (write?.what ?? wish).split(ENDS).map(plain);
  const wants = clauses.flatMap(clause => (clause === '' ? [] : readClause(clause)));
  if (write) wants.push({ kind: 'write', of: write.quoted ?? write.of ?? '', folder: '.' });
  return wants.every(want => want !== null) ? wants : null;
}

function readClause(clause: string): (Want | null)[] {
  const { kinds, form } = LIST.find(each => each.form.test(clause)) ?? {};
  const { folder = '.', quoted, of = quoted } = form?.exec(clause)?.groups ?? {};
  const marks = of?.toUpperCase().replace(/S\b/g, '') ?? 'TODO/FIXME/XXX';
  const file = of === undefined || /^readme$/i.test(of) ? 'README.md' : of;
  const ofKind = { files: '', readme: file, read: file, marks, write: '' };
  return kinds?.map(kind => ({ kind, of: ofKind[kind], folder })) ?? [null];
}
