/** Verbs that, as a subcommand of any tool, delete something irrecoverably or stop something. */
import { pattern } from '../text/pattern.ts';

const DESTROY =
  'delete del remove rm rmi rmdir destroy drop purge prune wipe erase clear clean cleanup flush flushall flushdb reset revoke terminate kill stop shutdown poweroff reboot restart uninstall undeploy unregister deregister detach disable deactivate deprovision decommission evict drain truncate obliterate nuke expunge forget discard rollback revert restore overwrite zap teardown unpublish yank downgrade scuttle vacate purge-all delete-all remove-all deleteall rm-all clear-all reinitialize reformat unlink invalidate trash uncordon-all force-delete hard-delete cancel abort suspend eject scale-down power-off unassign dissociate disassociate untag unset quarantine rekey reclaim sweep gc undo decrypt-all factory-reset switchover failover takeover tear-down down';

/** Weaker verbs, which count only for tools that are known to manage something. */
const WEAK = new Set(
  'clear clean reset stop restart cancel abort suspend restore revert disable down undo gc untag unset detach eject unlink'.split(
    ' ',
  ),
);

const STRONG = new Set(DESTROY.split(' '));

/** Verbs after which the remaining words only say what to read. */
const READ = new Set(
  'list ls get show describe view info status search find query inspect log logs cat print display diff plan validate check verify lint version help explain top history events whoami stat stats tail head read count exists ping test dump export download pull fetch graph tree outdated audit doctor env ps images preview lookup examine watch monitor metrics usage completion completions man docs report summary analyze analyse tags who which whereis resolve peek tasks search-code api-resources api-versions cluster-info'.split(
    ' ',
  ),
);

const COMPOUND = /[-_:.]/;

/** Reading words that are also nouns: the next word may be a verb that deletes one (`env rm X`). */
const NOUNS = new Set(
  'env log logs events history stat stats tags images metrics usage report docs graph tree tasks test export head tail top completion completions summary'.split(
    ' ',
  ),
);

export type Word = 'destroys' | 'destroys weakly' | 'reads' | 'names' | undefined;

const strength = (verb: string): Word => (WEAK.has(verb) ? 'destroys weakly' : 'destroys');

/** Returns the meaning of a subcommand word: `delete-bucket`, `keys:destroy`, `batch_delete`, `describeInstances`. */
export function verbOf(word: string): Word {
  const lower = word.toLowerCase();
  if (STRONG.has(lower)) return strength(lower);
  if (NOUNS.has(lower)) return 'names';
  if (READ.has(lower)) return 'reads';
  if (!/^[a-zA-Z][\w:.-]*$/.test(word) || word.length > 50) return undefined;
  // File names and versions (`clean.sh`, `reset.sql`) are not verbs.
  if (/\.\w{1,5}$/.test(word) && !word.includes(':')) return undefined;
  const parts = word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(COMPOUND);
  return parts.length < 2 ? undefined : verbOfParts(parts, word.includes(':'));
}

/**
 * Returns the meaning of several words. `grouped`: they are separated by colons, with the verb last (`keys:destroy`).
 */
function verbOfParts(parts: readonly string[], grouped: boolean): Word {
  const [first = '', second = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (grouped && STRONG.has(last)) return strength(last);
  if (READ.has(first)) return 'reads';
  if (/^(no|dry|skip|without|not)$/.test(first)) return undefined;
  if (READ.has(last)) return 'reads';
  if (STRONG.has(first)) return strength(first);
  if (/^(batch|bulk|force|admin|schedule|permanently|soft|hard)$/.test(first) && STRONG.has(second)) return 'destroys';
  return /^(delete|destroy|remove|purge|terminate|rm|uninstall|wipe|drop)$/.test(last) &&
    !/^(auto|on|can|to|pre|post)$/.test(first)
    ? 'destroys'
    : undefined;
}

/** Verbs of subcommands that add something and lose nothing. */
export const ADDING = pattern(String.raw`
    ^(create|add|start|enable|tag|attach|register|upload|mb|cp|copy|login|configure|init|connect|open|grant
    |associate|allocate|authorize|subscribe|import|clone|install|deploy|publish|launch|new|presign|put|write|set
    |label|annotate|expose|run|exec|invoke|up|apply-labels|wait|ssh|sync|backup|snapshot|request|generate|submit
    |link|build|push|save|use|switch|select|config|activate|resume)([-:]|$)
  `);

/** Long options that delete something, in any tool. */
export const DESTROYING_OPTION = pattern(String.raw`
    ^--?(delete|delete-all|delete-[a-z-]+|purge|purge-[a-z-]+|destroy|destroy-[a-z-]+|drop|drop-[a-z-]+|wipe
    |wipe-[a-z-]+|erase|erase-[a-z-]+|erase-all|uninstall|remove-all|rm-all|zap|zap-all|obliterate|nuke|truncate
    |expunge|factory-reset|reset-all|overwrite-all|force-delete|reset-offsets|unregister|revoke|remove-data
    |clear-all|format)$
  `);
