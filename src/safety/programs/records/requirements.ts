import { type StaticVerdict, unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading } from '../record.ts';
import { textOf, UNREAD } from '../text-of.ts';

/** Where a named package comes from is set by the user; a file of requirements may say anything. */
export function judgePip(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.operands.some(({ text }) => /^[.~]|\/|:\/\/|^git\+|\.(whl|tar\.gz|zip)$|@/.test(text));
  const local = given(reading, '-e', '--editable');
  if (odd || local) return unknown('installs code of the project or of an address', { runsFiles: true });
  for (const { name, value = '' } of reading.given) {
    if (/^(-i|--index-url|--extra-index-url)$/.test(name) && !INDEX.test(value))
      return unknown('installs from an index that is not known');
    if (!/^(-r|-c|--requirement|--constraint)$/.test(name)) continue;
    if (/:\/\//.test(value)) return unknown('reads what to install from an address');
    const text = textOf(call, value);
    if (text === UNREAD) return unknown(`${value.slice(-60)} can't be read beforehand`, { runsFiles: true });
    if (text !== undefined && !text.split('\n').every((line) => REQUIREMENT.test(line)))
      return unknown(`${value.slice(-60)} holds more than names of packages`, { runsFiles: true });
  }
  return undefined;
}

/** The registry itself, and what PyTorch builds for each kind of machine. */
const INDEX = /^https:\/\/(pypi\.org\/simple|download\.pytorch\.org\/whl(\/(cpu|cu\d+|rocm[\d.]+|nightly\/\w+))?)\/?$/;

/** A name with versions and conditions, a comment, or nothing. */
const REQUIREMENT = /^\s*([A-Za-z0-9][\w.-]*(\[[\w, -]*\])?\s*([=<>!~]=?[^@:/]*)?(;[^@:/]*)?)?(\s*#.*)?\s*$/;
