/** An action that a model asks for, the safety gate's judgement on it, and its outcome. */
import type { Unfinished } from '../text/shell.ts';

/** A shell command, from a `CMD:`/`CMD&:` line or from the built-in `bash` tool. */
export type CommandAction = {
  readonly kind: 'command';
  readonly command: string;
  /** Run as a background job (`CMD&:`). */
  readonly job: boolean;
  /** Set if a tool call asked for the command: the result must answer this id. */
  readonly callId?: string;
  readonly waitSeconds?: number;
  /** The model's command, if the user edited it at the HALT (HA-7). */
  readonly editedFrom?: string;
  readonly label?: string;
  /** The command runs again outside the light sandbox, because the sandbox refused something and the user agreed. */
  readonly outside?: true;
  /** The command's shell syntax is incomplete, or the reply was cut inside it: it is refused, never run (AC-1). */
  readonly unfinished?: Unfinished | 'cut';
};

/** A task for a sub-agent, from a `DELEGATE:` line or from the built-in `delegate` tool (TO-4). */
export type DelegateAction = {
  readonly kind: 'delegate';
  readonly task: string;
  /** Set if a tool call asked for it. */
  readonly callId?: string;
  /** The reply was cut inside the task. */
  readonly unfinished?: 'cut';
};

/** Any other tool call, or a line for one (`PATCH:`, `MODE:`). Arguments stay JSON text. */
export type ToolAction = {
  readonly kind: 'tool';
  readonly name: string;
  readonly arguments: string;
  /** Set if a tool call asked for it. */
  readonly callId?: string;
  /** Set if the text is not a complete patch, or if the reply was cut inside it. */
  readonly unfinished?: 'patch' | 'cut';
};

export type Action = CommandAction | DelegateAction | ToolAction;

/** Where a judgement came from (SF-1). */
export type JudgeSource = 'static' | 'model' | 'cache' | 'user-pattern' | 'default';

/** Why an action ran without a question: it only reads, or its changes can be undone. */
export type AllowedBy = 'reads' | 'kept';

/** One destructive effect of a command or call. */
export type Finding = {
  /** The name of the rule that matched. */
  readonly rule: string;
  /** The effect in plain words, as a predicate: `deletes files`. */
  readonly verb: string;
  /** The position of the effect in the command’s text: start and end in UTF-16 units; [0, 0] if unknown. */
  readonly part: readonly [number, number];
  /** The data that would be lost, in lines; undefined if unknown. */
  readonly impact?: readonly string[];
  /** Whether the action deletes exactly what it names, although its rule covers more than that. */
  readonly named?: boolean;
  /** Severity from 1 to 4 beside other findings of the command, if the rule does not define it. */
  readonly severity?: number;
  /** `:undo` could bring it back. */
  readonly undoable?: boolean;
  /**
   * Whether it needs no question in Project mode: the destroyed data is recorded and not deleted by name, or has no
   * owner.
   */
  readonly recoverable?: boolean;
};

/**
 * The parts of a command line for allow rules, each as program and subcommand (AC-7). `reads`: the parts that only
 * read.
 */
export type AllowParts = { readonly acts: readonly string[]; readonly reads: readonly string[] };

/** Data that would leave this machine for one receiver, in lines for the question (AC-8). */
export type Leaving = {
  /** `github.com/me/tool`, a host, a registry, an address. */
  readonly to: string;
  readonly what: readonly string[];
  /** The `host:port` addresses that it connects to. */
  readonly connects: readonly string[];
  /** Files with keys and passwords among the data. */
  readonly keys?: readonly string[];
};

/**
 * The safety gate's judgement on one action. `reason` names the rule, or says why the action is not known to be safe.
 */
export type Judgement = {
  readonly destructive: boolean;
  readonly reason: string;
  readonly source: JudgeSource;
  /** The static rule that matched. */
  readonly rule?: string;
  /** Every destructive effect, the worst first; absent in older journals. */
  readonly findings?: readonly Finding[];
  /** The data that would be lost, in lines for the HALT (HA-5); undefined if unknown. */
  readonly impact?: readonly string[];
  /** In Project mode: the kernel limits its effects and they are recorded, so it runs without a question (MO-9). */
  readonly recoverable?: true;
  /** Set if the action can’t run in this mode; `needs` says why. */
  readonly upgrade?: { readonly mode: 'unrestricted'; readonly needs: string };
  /**
   * Set if aish-tui itself has determined that the action changes nothing, so that others may run beside it. Never set
   * from a model’s answer.
   */
  readonly readOnly?: true;
  /**
   * A command that, run alone, only reads; absent if it may show a credential to a remote model.
   * `held`: only inside the kernel sandbox, since settings in its directory can make it run something.
   */
  readonly looks?: true | 'held';
  /** Whether the action’s changes are recorded, so that `:undo` can reverse them. */
  readonly kept?: true;
  /** Whether the action may show stored credentials to a model that does not run on this machine. */
  readonly credential?: true;
  /** The data it sends to other machines, by receiver. */
  readonly leaves?: readonly Leaving[];
  /** The parts that rules must allow for it to run without consent; absent if no rule may. */
  readonly parts?: AllowParts;
};

/** Returns whether a judgement has no destructive findings beyond those of `seen`, which the user has approved. */
export function findsNoMore(seen: Judgement, now: Judgement): boolean {
  if (!now.destructive) return true;
  const shown = new Set([seen.rule, ...(seen.findings ?? []).map(({ rule }) => rule)]);
  const found = now.findings?.map(({ rule }) => rule) ?? [now.rule];
  return seen.destructive && found.every((rule) => rule !== undefined && shown.has(rule));
}

/** Returns the reason in words for the screen; a bare rule name could look like part of the command. */
export function plainReason({ reason, rule, findings }: Pick<Judgement, 'reason' | 'rule' | 'findings'>): string {
  if (reason !== rule) return reason;
  return findings?.find((finding) => finding.rule === rule)?.verb ?? reason;
}

/** Returns every danger in one line, in the order of the findings; with fewer than two, the reason. */
export function everyDanger(judged: Pick<Judgement, 'reason' | 'rule' | 'findings'>): string {
  const verbs = new Set(judged.findings?.map(({ verb }) => verb));
  return verbs.size > 1 ? [...verbs].join('; ') : plainReason(judged);
}

/** Facts about a tool. A lasting consent is bound to `definition`. */
export type ToolFacts = {
  /** A digest of the tool's definition: description, schema, annotations. */
  readonly definition: string;
  /** The tool's own claims, in lines for the HALT. Unverified. */
  readonly claims: readonly string[];
  /** Whether the tool's definition has changed since the session first saw it. */
  readonly changed: boolean;
};

/** The result of examining an action: refused (the model gets the answer), or judged. */
export type Examination =
  | { readonly kind: 'refused'; readonly text: string }
  | {
      readonly kind: 'judged';
      readonly judgement: Judgement;
      readonly autoApproved: boolean;
      /** The user can try it before deciding (HA-10). */
      readonly canTry?: true;
      /** Why it can't be tried, if the user should know. */
      readonly noTry?: string;
      readonly tool?: ToolFacts;
      /** The changes that a call of a built-in tool would make, as a unified diff. */
      readonly diff?: string;
    };

/** The result of a finished command (EX-2, EX-5, EX-7). Output is clean rendered text. */
export type CommandResult = {
  /** The exit code as a shell reports it (128+n for a signal); null if it never started or its end is unknown. */
  readonly exit: number | null;
  /** The working directory after the command. */
  readonly cwd: string;
  /**
   * The first part of the output; all of it if `omittedLines` is 0. May contain SGR colours and safe hyperlinks, and no
   * other escapes.
   */
  readonly head: string;
  readonly tail: string;
  readonly omittedLines: number;
  readonly bytes: number;
  /** The file with the full output, if the output was cut. Mode 0600. */
  readonly file?: string;
  readonly milliseconds: number;
  /** Set when the command did not end normally: 'interrupted', 'could not start: …', 'became job 3'. */
  readonly note?: string;
  /** The command certainly did not run, and will not. */
  readonly began?: false;
};

/** Returns the result of a command that still runs as a job, or whose end is unknown. */
export function withoutEnd(cwd: string, note: string): CommandResult {
  return { exit: null, cwd, head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 0, note };
}

/** Returns the result of a command that never ran. */
export function notRun(cwd: string, note: string): CommandResult {
  return { ...withoutEnd(cwd, note), began: false };
}

/** Tells the model why an incomplete command was not run. */
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

/** The length of the name of an action that did not run. The model may have written megabytes. */
const MAX_NAME_CHARS = 600;

/** The same, cut if it is long. */
export function nameAction(action: Action): string {
  const text = describeAction(action);
  if (text.length <= MAX_NAME_CHARS) return text;
  return `${text.slice(0, MAX_NAME_CHARS).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)`;
}
