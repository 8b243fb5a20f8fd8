/** The allow rules of a directory in the user's own configuration: `projects.PATH.allow` (AC-7). */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RulesPort } from '../commands/app.ts';
import { type Config, changeConfig, ofDirectory } from '../config/index.ts';
import { treeAround } from './project-tree.ts';

type Place = {
  readonly config: Pick<Config, 'projects'>;
  readonly configFile: string;
  readonly cwd: string;
};

/** Keeps rules for the directory that has some already, else for the project around `cwd`. */
export function rulesPort({ config, configFile, cwd }: Place): RulesPort {
  const tree = treeAround(cwd, homedir(), (directory) => existsSync(join(directory, '.git'))) ?? cwd;
  const found = ofDirectory(config.projects, cwd, 'allow');
  const name = found?.name ?? tree;
  let rules = found?.value ?? [];
  const write = (wanted: readonly string[], done: string): string => {
    const place = ['projects', name, 'allow'];
    const problem = changeConfig(configFile, [{ place, value: wanted.length > 0 ? wanted : undefined }]);
    if (problem !== undefined) return problem;
    rules = wanted;
    return `${done} in ${configFile}`;
  };
  return {
    keep: (rule) => write([...new Set([...rules, rule])], `${rule} is kept for ${name}`),
    drop: (rule) =>
      rules.includes(rule)
        ? write(
            rules.filter((one) => one !== rule),
            `${rule} is no longer kept for ${name}`,
          )
        : undefined,
  };
}
