/** The palette (F2): finds commands, models, colours, keys and earlier commands by a few letters. */
import { submitLine } from '../../../commands/submit.ts';
import { commands } from '../../../commands/table.ts';
import { visible } from '../../../text/sanitize.ts';
import { setText } from '../../editor/commands.ts';
import { fuzzySearch } from '../../editor/fuzzy.ts';
import { showChord } from '../../keymap/resolver.ts';
import type { Binding } from '../../keymap/table.ts';
import type { Screen } from '../screen.ts';
import { sessionItems } from '../sessions.ts';
import { NO_PANEL, type PanelItem } from '../ui.ts';

/** The number of earlier commands that are searched, the newest first. */
const MAX_BLOCKS = 200;
const MAX_MATCHES = 200;
/** The most results of each kind. */
const MAX_OF_KIND = 12;

/** An item, and what choosing it does. */
type Item = PanelItem & Required<Pick<PanelItem, 'label' | 'group' | 'run'>>;

/**
 * Opens the list, or closes it.
 * @param keys the bindings that do something at the prompt
 * @param press acts as if the binding's key was pressed
 */
export function openPalette(screen: Screen, keys: readonly Binding[], press: (binding: Binding) => void): void {
  const { question, panel } = screen.ui.get();
  if (question) return;
  if (panel.kind === 'choices' && panel.of === 'everything') return screen.ui.update({ panel: NO_PANEL });
  const all = [...commandItems(screen), ...settingItems(screen), ...keyItems(keys, press), ...blockItems(screen)];
  const forms = formItems(screen);
  const withForms = (query: string) => (query === '' ? all : [...all, ...forms]);
  const find = (query: string) => search(withForms(query), query);
  const items = find('');
  screen.ui.update({ panel: { kind: 'choices', of: 'everything', query: '', items, index: 0, start: 0, find } });
  void screen.app.sessions.list().then((sessions) => {
    const { panel } = screen.ui.get();
    if (panel.kind !== 'choices' || panel.find !== find) return;
    const more = sessionItems(screen, sessions).map((each) => ({ ...each, group: 'session' }));
    const findAll = (query: string) => search([...withForms(query), ...more], query);
    screen.ui.update({ panel: { ...panel, items: findAll(panel.query), find: findAll } });
  });
}

/** Lists the commands above a lone `/` (IN-2). Keys stay with the prompt until an arrow selects one. */
export function listCommands(screen: Screen): void {
  if (screen.ui.get().editor.text !== '/') return;
  const items = commandItems(screen).map(({ text, note = '', run }) => ({
    ...{ text, note },
    run() {
      screen.setEditor(setText(screen.ui.get().editor, ''));
      run();
    },
  }));
  screen.ui.update({ panel: { kind: 'choices', of: 'commands', query: '', items, index: -1, start: 0 } });
}

/**
 * Runs a command of the prompt while the list of commands is open; returns whether it was for the list. Any other
 * command closes the list.
 */
export function runOnCommands(screen: Screen, command: string): boolean {
  const { panel } = screen.ui.get();
  if (panel.kind !== 'choices' || panel.index >= 0) return false;
  const at = { down: 0, up: panel.items.length - 1 }[command];
  screen.ui.update({ panel: at === undefined ? NO_PANEL : { ...panel, index: at } });
  return at !== undefined || command === 'takeBack';
}

/**
 * Returns the best matches first; a match of the name precedes a match of the description. Without a query, in the
 * order of the tables.
 */
function search(all: readonly Item[], query: string): readonly Item[] {
  const wanted = query.toLowerCase();
  const placeIn = ({ text }: Item) => text.toLowerCase().indexOf(wanted);
  const called = all.filter((item) => placeIn(item) >= 0).toSorted((one, other) => placeIn(one) - placeIn(other));
  const byText = new Map(
    all.map((item) => [[item.group, item.label, item.note, item.key].filter(Boolean).join(' '), item]),
  );
  // The search takes the last line for the newest, and so puts it first among equals.
  const found = fuzzySearch([...byText.keys()].toReversed(), query, MAX_MATCHES);
  const items = [...new Set([...called, ...found.flatMap(({ text }) => byText.get(text) ?? [])])];
  // The kinds in the order of their best.
  const most = query === '' ? items.length : MAX_OF_KIND;
  return Object.values(Object.groupBy(items, ({ group }) => group)).flatMap((group) => (group ?? []).slice(0, most));
}

function item(kind: string, text: string, note: string, run: () => void): Item {
  return { text, label: text, group: kind, note, run };
}

/** A command that needs arguments is put into the prompt; any other runs. */
function commandItems(screen: Screen): readonly Item[] {
  return commands.map(({ name, usage, summary }) => {
    const needs = /^\S+ <|^:norris/.test(usage);
    const line = `:${name}`;
    const run = () => (needs ? fill(screen, `${line} `) : send(screen, line));
    return item('command', line, summary, run);
  });
}

/** Forms of a command without arguments of the user's, such as `:undo run`. A form that skips a preview is left out. */
function formItems(screen: Screen): readonly Item[] {
  return commands.flatMap(({ usage, forms = [] }) => {
    const own = new Set(usage.match(/[a-z]+/g));
    return forms
      .filter(([form]) => {
        const words = form.split(' ').slice(1);
        return words.length > 0 && words.at(-1) !== 'yes' && words.every((word) => own.has(word));
      })
      .map(([form, meaning]) => item('command', form, meaning, () => send(screen, form)));
  });
}

/** Models and colours to choose from. */
function settingItems(screen: Screen): readonly Item[] {
  const models = screen.app.presets.list().map(({ name, model }) => {
    const line = `:model ${name}`;
    return item('model', line, model ?? '', () => send(screen, line));
  });
  const themes = (screen.app.screen?.themes ?? []).map((name) => {
    const line = `:theme ${name}`;
    return item('colours', line, '', () => send(screen, line));
  });
  return [...models, ...themes];
}

function keyItems(keys: readonly Binding[], press: (binding: Binding) => void): readonly Item[] {
  return keys.map((binding) => {
    const chords = binding.chords.slice(0, 2).map(showChord).join(', ');
    return { ...item('key', binding.label, '', () => press(binding)), key: chords };
  });
}

/** Commands of this session: choosing one scrolls to it. */
function blockItems(screen: Screen): readonly Item[] {
  return screen.app.engine.transcript.entries
    .slice(-MAX_BLOCKS)
    .toReversed()
    .flatMap(({ key }) => {
      const entry = screen.view.entryOf(key);
      if (entry?.kind !== 'exec' || !entry.result) return [];
      const { exit } = entry.result;
      const [line = ''] = visible(entry.command).split('\n');
      const ended = exit === 0 ? '✓' : exit === null ? '✗' : `✗ ${exit}`;
      return [item('ran', line, ended, () => screen.navigator.goTo(key))];
    });
}

function send(screen: Screen, line: string): void {
  void submitLine(screen.app, line, screen.app.classify(line));
}

function fill(screen: Screen, line: string): void {
  screen.setEditor(setText(screen.ui.get().editor, line));
}
