/** Tells if a program in a call's arguments looks at anything: otherwise its output is the model's own words. */

/**
 * True if the code calls a function that opens, reads, lists or runs something, or loads code of the project. Names in
 * comments and texts do not count. In doubt, it counts as looking at nothing.
 */
export function opensSomething(code: string): boolean {
  const bare = withoutTexts(code.slice(0, MOST_CHARS));
  return OPENS.test(bare) || LOADS.test(bare) || importsOwn(bare);
}

/** Like `opensSomething`, for sandboxed code, which has plain functions such as `read('a.txt')`. */
export function sandboxReads(code: string): boolean {
  return SANDBOX.test(withoutTexts(code.slice(0, MOST_CHARS))) || opensSomething(code);
}

const MOST_CHARS = 20_000;

/** Comments and texts of common languages. An unclosed one extends to the end. */
const TEXTS =
  /\/\*[\s\S]*?(?:\*\/|$)|(?<!:)\/\/[^\n]*|(?<![\w.$])#[^\n]*|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.?|[^"\\\n])*(?:"|\n|$)|'(?:\\.?|[^'\\\n])*(?:'|\n|$)|`(?:\\[\s\S]?|[^`\\])*(?:`|$))/g;
const SLOTS = /\$?\{((?:[^{}]|\{[^{}]*\})*)\}/g;

/** Removes texts except the code in their slots. A text that is a path of the project becomes `'./'`. */
function withoutTexts(code: string, depth = 0): string {
  return code.replace(TEXTS, (_all, text: string | undefined, at: number) => {
    if (text === undefined) return ' ';
    const hasSlots = text.startsWith('`') || /[fF]/.test(code[at - 1] ?? '');
    if (hasSlots && depth < 3)
      return [...text.matchAll(SLOTS)].map(([, slot = '']) => ` ${withoutTexts(slot, depth + 1)} `).join(';');
    return /^['"`]\.{0,2}\//.test(text) ? "'./'" : "''";
  });
}

const FUNCTIONS =
  'open openSync fopen file_get_contents read\\w* createReadStream exists existsSync isfile isdir getsize is_file is_dir ' +
  'l?stat l?statSync accessSync i?glob\\w* listdir iterdir scandir walk fetch urlopen execSync execFile execFileSync ' +
  'spawn spawnSync system popen Popen check_call check_output getoutput write_text write_bytes writeFile\\w* ' +
  'appendFile\\w* copyFile\\w* copyfile copytree rename renameSync unlink unlinkSync rmtree rmSync mkdir\\w* makedirs';
const OPENS = new RegExp(
  `(?<![\\w$])(?:${FUNCTIONS.replaceAll(' ', '|')})\\s*\\(|\\b(?:subprocess|requests|urllib|shutil)\\.\\w+\\s*\\(`,
);
const LOADS = /(?:\b(?:require|import)\s*\(|\bfrom|\bimport)\s*'\.\/'/;
/** Methods such as `x.read()` do not match; `...read(x)` does. */
const SANDBOX = /(?<![\w$]|(?<!\.)\.)(?:read|readLines|json|csv|list)\s*\(/;

const PYTHON_IMPORT =
  /(?:^|[;\n])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., ]*)(?=$|[;\n]))/g;
/** Python's own and usual modules: importing one does not look at the project. */
const PYTHON_MODULES: ReadonlySet<string> = new Set(
  (
    '__future__ argparse ast asyncio base64 bisect builtins calendar collections copy csv datetime decimal ' +
    'enum fractions functools glob hashlib heapq html importlib inspect io itertools json locale logging math ' +
    'numbers numpy operator os pandas pathlib pickle platform pprint random re secrets shlex shutil signal socket ' +
    'sqlite3 statistics string struct subprocess sys tempfile textwrap threading time traceback typing unittest ' +
    'urllib uuid warnings'
  ).split(' '),
);

function importsOwn(bare: string): boolean {
  return [...bare.matchAll(PYTHON_IMPORT)].some(([, from, list = '']) => {
    // `import fs from './a.js'` is not Python.
    if (/ from\b/.test(list)) return false;
    const modules = from === undefined ? list.split(',') : [from];
    const roots = modules.map(each => each.trim().split(/[.\s]/)[0] ?? '');
    return roots.some(root => root !== '' && !PYTHON_MODULES.has(root));
  });
}
