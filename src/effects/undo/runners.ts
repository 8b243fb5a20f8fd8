/** Programs that run what a project says: which names of it they obey, wherever in it they are started. */
import { basename } from 'node:path';

export type Runner = {
  /** How it is called. */
  readonly names: RegExp;
  /** A word that stands behind it where it does. */
  readonly with?: RegExp;
  readonly obeyed: readonly string[];
};

const names = (text: string) => text.split(' ');

/** It looks for programs in the packages of a project, and gets what is not there from elsewhere. */
export const PACKAGE_RUNNER: Runner = {
  names: /^(npx|npm|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|deno)$/,
  obeyed: names('.npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs bunfig.toml'),
};

const RUNNERS: readonly Runner[] = [
  PACKAGE_RUNNER,
  {
    names: /^(npm|pnpm|yarn|yarnpkg|bun)$/,
    with: /^(run|run-script|start|serve|dev|mcp|test|stop|restart|workspace|exec|-w|--workspace|--filter)$/,
    obeyed: ['package.json'],
  },
  { names: /^node(js)?$/, with: /^--run$/, obeyed: ['package.json'] },
  { names: /^deno$/, obeyed: names('deno.json deno.jsonc package.json') },
  {
    names: /^uv$/,
    with: /^run$/,
    obeyed: names('pyproject.toml uv.toml uv.lock .python-version .venv/bin .venv/pyvenv.cfg'),
  },
  {
    names: /^(poetry|pdm|hatch|pipenv|rye|pixi)$/,
    obeyed: names('pyproject.toml poetry.toml pdm.toml Pipfile pixi.toml .venv/bin .venv/pyvenv.cfg'),
  },
  { names: /^g?make$/, obeyed: names('GNUmakefile makefile Makefile') },
  { names: /^just$/, obeyed: names('justfile Justfile .justfile') },
  { names: /^cargo$/, with: /^(run|r)$/, obeyed: names('Cargo.toml build.rs') },
  { names: /^go$/, with: /^run$/, obeyed: ['go.mod', 'go.work'] },
  { names: /^(bundle|rake)$/, obeyed: ['Gemfile', 'Rakefile'] },
  { names: /^composer$/, obeyed: ['composer.json'] },
  {
    names: /^(docker|docker-compose|podman|podman-compose)$/,
    with: /compose$/,
    obeyed: ['docker-compose', 'compose'].flatMap((file) =>
      ['.yml', '.yaml', '.override.yml', '.override.yaml'].map((end) => file + end),
    ),
  },
];

/** Those among the words of a command. */
export function runnersOf(words: readonly string[]): readonly Runner[] {
  const called = words.map((word) => basename(word));
  return RUNNERS.filter((runner) => {
    const at = called.findIndex((name) => runner.names.test(name));
    return at >= 0 && (!runner.with || words.slice(at).some((word) => runner.with?.test(word)));
  });
}
