import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detect, detectInTurns } from '../../src/secrets/detect.ts';
import { SecretsFilter } from '../../src/secrets/filter.ts';
import { cases } from '../support/cases.ts';
import { filled, seeded } from '../support/fake-values.ts';

/** Pieces that the rules react to, combined at random. */
const pieces = fc.constantFrom(
  ...`password secret token api_key = : => " ' \\ \\" \n - name value < > </ & ? ; , ( ) [ ] { } | eyJ . ghp_ sk- AKIA :// @ https Bearer Basic Authorization
  cookie curl -u mysql -p echo sudo -----BEGIN -----END PRIVATE KEY----- AAAA aB3dE5fG7hI9jK1 x ⟦A_0a1b2c⟧ ⟦ é \x1b[31m \x1b[0m is for`.split(
    ' ',
  ),
  ' ',
);
const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

describe('the search for secrets', () => {
  it('returns spans in order, without overlap, within the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let last = 0;
        for (const { start, end } of new SecretsFilter().find(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: cases(300) },
    );
  });

  it('gives the same result piece by piece, wherever the pieces meet', async () => {
    const property = fc.asyncProperty(texts, fc.integer({ min: 0, max: 300 }), async (text, before) => {
      // The first piece ends within the text.
      const long = 'x '.repeat(64 * 1024 - before).concat(text, text);
      expect(await detectInTurns(long)).toEqual(detect(long));
    });
    await fc.assert(property, { numRuns: cases(20) });
  });

  it('gives the same result for a text searched over several event loop turns', async () => {
    const filter = new SecretsFilter();
    const text = `${'word '.repeat(100_000)}password=${filled('aB3dE5fG7hI9', seeded(1))} ${'word '.repeat(100_000)}`;
    let turns = 0;
    let over = false;
    const count = async () => {
      for (; !over; turns += 1) await nextTurn();
    };
    const counting = count();
    await filter.lookThrough(text);
    over = true;
    await counting;
    expect(turns).toBeGreaterThan(5);
    const plain = new SecretsFilter();
    expect(filter.find(text)).toEqual(plain.find(text));
    expect(filter.find(`${text} token=aB3dE5fG7hI9jK1mN`)).toEqual(plain.find(`${text} token=aB3dE5fG7hI9jK1mN`));
  });

  it('takes linear time for any text', () => {
    const hostile = [
      ...[
        'password',
        'password=',
        'secret="a',
        'token:"',
        'key ',
        'eyJ-',
        '://a',
        ' curl -u a',
        ' sk-a',
        'cookie: ',
        'A',
      ],
      ...[
        '-----BEGIN PRIVATE KEY-----',
        'AAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----',
        ':5432:a:b:',
        'name: password\n',
      ],
      ...[
        '<password>',
        'password: |\n ',
        'password\\\\\\"',
        'a.token.',
        'echo a | ',
        '\x1b[31mpa',
        'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t',
      ],
    ];
    const cost = (text: string) => {
      const before = process.cpuUsage();
      detect(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    for (const piece of hostile) {
      const some = piece.repeat(Math.ceil(25_000 / piece.length));
      cost(some);
      const once = Math.min(cost(some), cost(some));
      // Eight times the text; quadratic time would be 64 times the work. In ms of this process's own time.
      expect(cost(some.repeat(8)), JSON.stringify(piece)).toBeLessThan(24 * once + 150);
    }
  });
});

describe('hiding secrets', () => {
  it('finds in one pass a value that a text names once and repeats without the name', () => {
    const text = 'password:aB3dE5fG7hI9jK1\naB3dE5fG7hI9jK1';
    expect(new SecretsFilter().hide(text)).not.toContain('aB3dE5fG7hI9jK1');
  });

  it('is reverted by revealing them, and changes nothing when repeated', () => {
    const random = seeded(5);
    const secrets = fc
      .constantFrom('ghp_<36w>', 'sk_live_<24w>', 'glpat-<20w>', 'password=<14w>', 'https://u:<12w>@h/')
      .map((shape) => filled(shape, random));
    fc.assert(
      fc.property(fc.array(fc.oneof(secrets, texts), { maxLength: 8 }), (parts) => {
        const filter = new SecretsFilter();
        // Colours within a secret are moved, and a handle in a text belongs to no secret.
        const text = parts.join('\n').replaceAll(/\x1b|⟦/g, '');
        const hidden = filter.hide(text);
        expect(filter.reveal(hidden).replaceAll(/\\?\r?\n[ \t]*/g, '')).toBe(text.replaceAll(/\\?\r?\n[ \t]*/g, ''));
        expect(filter.hide(hidden)).toBe(hidden);
      }),
      { numRuns: cases(80) },
    );
  });

  it('leaves nothing of a token, even if coloured, in JSON, broken over several lines or encoded', () => {
    const token = filled('glpat-<20w>', seeded(9));
    const filter = new SecretsFilter();
    filter.hide(token);
    const forms = [
      `\x1b[1m${token.slice(0, 9)}\x1b[31m${token.slice(9)}\x1b[0m`,
      JSON.stringify({ deep: [{ text: `a "${token}"\n` }] }),
      `${token.slice(0, 12)}\n${token.slice(12)}`,
      Buffer.from(token).toString('base64'),
      Buffer.from(`me:${token}`).toString('base64'),
      `x${token}y`,
      `cut: ${token.slice(0, 15)}`,
    ];
    for (const form of forms) {
      const hidden = filter.hide(form);
      expect(hidden).toContain('⟦');
      expect(hidden.replaceAll(/\x1b\[\d*m/g, '')).not.toContain(token.slice(0, 12));
      expect(Buffer.from(hidden, 'base64').toString()).not.toContain(token.slice(6));
    }
  });
});
