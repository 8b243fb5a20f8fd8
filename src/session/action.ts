/** What a model asks for, the gate's judgement on it, and its outcome. */
import type { Unfinished } from '../text/shell.ts';

/** A shell command, from a `CMD:`/`CMD&:` line or from the built-in `bash` tool. */
export type CommandAction = {
  readonly kind: 'command';
  readonly command: string;
  /** Run as a background job (`CMD&:`). */
  readonly job: boolean;
  /** Set when a tool call asked: its result must answer this id. */
  readonly callId?: string;
  readonly waitSeconds?: number;
  /** What the model had written, where the user changed it at the HALT (HA-7). */
  readonly editedFrom?: string;
  readonly label?: string;
  /** It runs again, outside the light sandbox, which had refused it something: the user said yes to that. */
  readonly outside?: true;
  /** It ended before its shell syntax did, or the reply was cut in it: it is refused, never run (AC-1). */
  readonly unfinished?: Unfinished | 'cut';
};

/** A task for a sub-agent, from a `DELEGATE:` line or from the built-in `delegate` tool (TO-4). */
export type DelegateAction = {
  readonly kind: 'delegate';
  readonly task: string;
  /** Set when a tool call asked. */
  readonly callId?: string;
  /** The reply was cut in it. */
  readonly unfinished?: 'cut';
};

/** Any other tool call, or a line for one (`PATCH:`, `MODE:`). Arguments stay JSON text. */
export type ToolAction = {
  readonly kind: 'tool';
  readonly name: string;
  readonly arguments: string;
  /** Set when a tool call asked. */
  readonly callId?: string;
  /** Its text is no whole patch, or the reply was cut in it. */
  readonly unfinished?: 'patch' | 'cut';
};

export type Action = CommandAction | DelegateAction | ToolAction;

/** Where a judgement came from (SF-1). */
export type JudgeSource = 'static' | 'model' | 'cache' | 'user-pattern' | 'default';

/** By what an action ran that nobody was asked about: it only reads, or what it changes can be taken back. */
export type AllowedBy = 'reads' | 'kept';

/** One destructive thing that a command or call would do. */
export type Finding = {
  /** The name of the rule that matched. */
  readonly rule: string;
  /** What it does, in plain words and as a predicate: `deletes files`. */
  readonly verb: string;
  /** Its place in the command's text: start and end, in UTF-16 units; [0, 0] where that is not known. */
  readonly part: readonly [number, number];
  /** What would be lost, in lines; absent where that can't be found out. */
  readonly impact?: readonly string[];
  /** It deletes what it names, though its rule speaks of more than that. */
  readonly named?: boolean;
  /** How bad it is beside others of the same command, where its rule does not tell; from 1 to 4. */
  readonly severity?: number;
  /** `:undo` could bring it back. */
  readonly undoable?: boolean;
  /** In Project mode it needs no question: what it loses is kept, and not deleted by name, or is nobody's. */
  readonly recoverable?: boolean;
};

/**
 * The parts of a command line that rules may allow, each as its program and subcommand (AC-7). `reads`: those that only
 * read.
 */
export type AllowParts = { readonly acts: readonly string[]; readonly reads: readonly string[] };

/** What would leave this machine for one receiver, in lines for the question (AC-8). */
export type Leaving = {
  /** `github.com/me/tool`, a host, a registry, an address. */
  readonly to: string;
  readonly what: readonly string[];
  /** `host:port` that it connects to. */
  readonly connects: readonly string[];
  /** Files of keys and passwords among it. */
  readonly keys?: readonly string[];
};

/** The gate's judgement on one action. `reason` names the rule or says why it is not known to be safe. */
export type Judgement = {
  readonly destructive: boolean;
  readonly reason: string;
  readonly source: JudgeSource;
  /** The name of the static rule, where one matched. */
  readonly rule?: string;
  /** Everything destructive in it, the worst first; absent in journals of before it was recorded. */
  readonly findings?: readonly Finding[];
  /** What would be lost, in lines for the HALT (HA-5); absent where that can't be found out. */
  readonly impact?: readonly string[];
  /** In Project mode: all of it is bounded by the kernel and kept, so that it runs without a question (MO-9). */
  readonly recoverable?: true;
  /** It can't run in this mode where it is to run; `needs` says why. */
  readonly upgrade?: { readonly mode: 'unrestricted'; readonly needs: string };
  /** By the program's own word it changes nothing at all, so that others may run beside it. Never by a model's word. */
  readonly readOnly?: true;
  /**
   * By the tables a command that, run alone, only reads; absent where it may show a credential to a model elsewhere.
   * `held`: only where the kernel holds it, since the settings of the place it is in can make it run something.
   */
  readonly looks?: true | 'held';
  /** What it changes is kept, so that `:undo` can take it back. */
  readonly kept?: true;
  /** It may show what a store of credentials holds to a model that is not on this machine. */
  readonly credential?: true;
  /** What it sends to other machines, by receiver. */
  readonly leaves?: readonly Leaving[];
  /** What rules must allow for it to need no consent; absent where no rule may. */
  readonly parts?: AllowParts;
};

/** Whether a judgement finds nothing destructive that `seen`, which the user has approved, did not show. */
export function findsNoMore(seen: Judgement, now: Judgement): boolean {
  if (!now.destructive) return true;
  const shown = new Set([seen.rule, ...(seen.findings ?? []).map(({ rule }) => rule)]);
  const found = now.findings?.map(({ rule }) => rule) ?? [now.rule];
  return seen.destructive && found.every((rule) => rule !== undefined && shown.has(rule));
}

/** Why, in words for the screen: a reason that is only the name of its rule could pass for words of the command. */
export function plainReason({ reason, rule, findings }: Pick<Judgement, 'reason' | 'rule' | 'findings'>): string {
  if (reason !== rule) return reason;
  return findings?.find((finding) => finding.rule === rule)?.verb ?? reason;
}

/** Every danger in one line, in the order of the findings; without several of them, why. */
export function everyDanger(judged: Pick<Judgement, 'reason' | 'rule' | 'findings'>): string {
  const verbs = new Set(judged.findings?.map(({ verb }) => verb));
  return verbs.size > 1 ? [...verbs].join('; ') : plainReason(judged);
}

/** What is known of a tool beside its name. A consent that lasts is bound to the definition. */
export type ToolFacts = {
  /** A digest of the tool's definition: description, schema, annotations. */
  readonly definition: string;
  /** What the tool's server claims about it, in lines for the HALT. Unverified. */
  readonly claims: readonly string[];
  /** It was defined otherwise when it was first seen. */
  readonly changed: boolean;
};

/** What came of examining an action: refused outright (answered to the model), or judged. */
export type Examination =
  | { readonly kind: 'refused'; readonly text: string }
  | {
      readonly kind: 'judged';
      readonly judgement: Judgement;
      readonly autoApproved: boolean;
      /** It can be tried before the user decides (HA-10). */
      readonly canTry?: true;
      /** Why it can't, where that is worth a word. */
      readonly noTry?: string;
      readonly tool?: ToolFacts;
      /** What a call of the program's own would change, as a unified diff. */
      readonly diff?: string;
    };

/** What a finished command is known by (EX-2, EX-5, EX-7). Output is clean rendered text. */
export type CommandResult = {
  /** Exit code as a shell tells it (128+n for a signal); null when it never started or its end is unknown. */
  readonly exit: number | null;
  /** The working directory after it. */
  readonly cwd: string;
  /**
   * The first part of the output; the whole of it when `omittedLines` is 0. May carry SGR colour and safe hyperlinks,
   * nothing else.
   */
  readonly head: string;
  readonly tail: string;
  readonly omittedLines: number;
  readonly bytes: number;
  /** The full text, 0600, where output was cut. */
  readonly file?: string;
  readonly milliseconds: number;
  /** Set when the command did not end normally: 'interrupted', 'could not start: …', 'became job 3'. */
  readonly note?: string;
  /** It is known that it did not run, and will not. */
  readonly began?: false;
};

/** The result of a command that still runs as a job, or whose end is unknown. */
export function withoutEnd(cwd: string, note: string): CommandResult {
  return { exit: null, cwd, head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 0, note };
}

/** The result of a command that never ran. */
export function notRun(cwd: string, note: string): CommandResult {
  return { ...withoutEnd(cwd, note), began: false };
}

/** Why a command that is not whole was not run, to the model. */
export function whyUnfinished(unfinished: Unfinished | 'patch' | 'cut'): string {
  if (unfinished === 'cut') return '[aish] not run: the answer was cut off here. Send it again, in shorter answers.';
  if (unfinished === 'patch')
    return '[aish] not run: behind PATCH: path comes one fence with a unified diff or SEARCH/REPLACE blocks.';
  return `[aish] not run: its ${unfinished} is not finished. Send the whole command.`;
}

/** A short line that names an action on screen. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'command':
      return action.command;
    case 'delegate':
      return `DELEGATE: ${action.task}`;
    case 'tool':
      return `${action.name} ${action.arguments}`;
  }
}

/** Characters that name an action which did not run; nobody reads on, and a model may have written any number. */
const MAX_NAME_CHARS = 600;

/** The same, cut where it is long. */
export function nameAction(action: Action): string {
  const text = describeAction(action);
  if (text.length <= MAX_NAME_CHARS) return text;
  return `${text.slice(0, MAX_NAME_CHARS).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)`;
}
