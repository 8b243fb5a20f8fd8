import { isSecretVariable } from '../../credential-files.ts';
import type { Judging } from './judging.ts';
import { nameOf } from './references.ts';
import type { Node, NodeOf } from './tree.ts';

/** Variables of the environment by which nothing else is run, loaded or written. */
const HARMLESS_VARIABLE =
  /^(LANG|LC_\w+|TZ|TERM|NO_COLOR|COLUMNS|LINES|\w+_NUM_THREADS|CUDA_VISIBLE_DEVICES|TOKENIZERS_PARALLELISM|TF_CPP_MIN_LOG_LEVEL|PYTHONHASHSEED|PYTHONUNBUFFERED|HF_HUB_OFFLINE|TRANSFORMERS_OFFLINE|DEBUG|LOG_LEVEL)$/;

/** A use of `os.environ`: what is set there decides what later programs load. */
export function judgeEnvironment(judge: Judging, node: Node, method: string | undefined): void {
  if (method !== undefined) {
    if (!/^(get|keys)$/.test(method)) judge.unknown(node, 'changes its environment');
    return;
  }
  const parent = judge.tree.parents.get(node);
  const reads =
    parent?.nodeType === 'Subscript' ||
    parent?.nodeType === 'Compare' ||
    parent?.nodeType === 'For' ||
    (parent?.nodeType === 'Call' && /^len$/.test(nameOf(parent.func) ?? ''));
  if (!reads) judge.unknown(node, 'hands round its environment');
  else if (parent?.nodeType === 'Subscript' && parent.ctx.nodeType === 'Load') showsVariable(judge, parent.slice);
}

/** A use of `sys.path`: what is added there decides what an import means. */
export function judgeModulePath(judge: Judging, node: Node, method: string | undefined): void {
  const parent = judge.tree.parents.get(node);
  const reads =
    parent?.nodeType === 'For' ||
    parent?.nodeType === 'Compare' ||
    parent?.nodeType === 'Comprehension' ||
    parent?.nodeType === 'FormattedValue' ||
    (parent?.nodeType === 'Subscript' && parent.ctx.nodeType === 'Load') ||
    (parent?.nodeType === 'Call' && /^(print|len|join|str|list|pprint)$/.test(nameOf(parent.func) ?? ''));
  if (method !== undefined || !reads) judge.unknown(node, 'changes where modules are found');
}

/** `os.environ[name] = …`, `module.table[key] = …`. */
export function judgeStore(judge: Judging, node: NodeOf<'Subscript'>): void {
  const name = judge.values.references.of(node.value)[0] ?? '';
  if (name.startsWith('os.environ')) {
    if (!HARMLESS_VARIABLE.test(judge.values.text(node.slice) ?? '')) judge.unknown(node, 'changes its environment');
  } else if (name.startsWith('matplotlib.') && /backend/.test(judge.values.text(node.slice) ?? 'backend'))
    judge.unknown(node, 'loads a backend that is not known');
  else if (!/^(builtins\.|matplotlib\.|sys\.argv)/.test(name)) judge.unknown(node, `changes ${name}`);
}

/** `os.getenv(name)`: a variable that may be a secret, and is then shown. */
export function judgeVariable(judge: Judging, { args: [key] }: NodeOf<'Call'>): void {
  if (key) showsVariable(judge, key);
}

function showsVariable(judge: Judging, key: Node): void {
  const name = judge.values.text(key);
  if (name === undefined || isSecretVariable(name)) judge.unknown(key, 'reads a variable that may hold a secret');
}

/** `help('module')` imports it, and what it says runs. */
export function judgeHelp(judge: Judging, { args: [subject] }: NodeOf<'Call'>): void {
  if (subject && judge.values.text(subject) !== undefined) judge.unknown(subject, 'imports what it tells about');
}
