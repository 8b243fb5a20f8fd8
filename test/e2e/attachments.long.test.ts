/** `@` in a question: what is attached, what is shown before sending, and what is refused (IN-8). */
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** An image of one black pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

describe('an attached text', () => {
  it('shows its size and tokens before it is sent, and follows the question under its name', async () => {
    await using server = await startScriptedServer([say('Two numbers.'), say('A tree.')]);
    using place = scratch(server.baseUrl);
    writeFileSync(join(place.work, 'my notes.txt'), 'seven and nine\n```\n');
    mkdirSync(join(place.work, 'src', 'deep'), { recursive: true });
    writeFileSync(join(place.work, 'src', 'deep', 'leaf.c'), '');
    await using rig = await openRig(place, '[aish:fast]>');
    rig.type('what do the numbers in @my');
    await rig.waitFor('@my');
    rig.key('tab');
    await rig.waitFor('@my\\ notes.txt');
    await rig.waitFor(/\+ @my\\ notes\.txt 19 bytes .*≈ \d+ tokens/);
    rig.type('mean, and @who is that?\r');
    await rig.waitFor('Two numbers.');
    expect(rig.text()).toContain('with my notes.txt 19 bytes');
    expect(rig.text()).not.toContain('+ @my');
    expect(server.requests[0]?.lastUser).toContain(
      'what do the numbers in @my\\ notes.txt mean, and @who is that?\n\nmy notes.txt:\n````\nseven and nine\n```\n````',
    );
    rig.type('what is below @src/?\r');
    await rig.waitFor('A tree.');
    expect(server.requests[1]?.lastUser).toContain('src/:\n```\ndeep/\ndeep/leaf.c\n```');
  });

  it('can be the last output (@out) and the selection (@selection)', async () => {
    await using server = await startScriptedServer([say('Both came.')]);
    await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>');
    rig.type('why is @selection so?\r');
    await rig.waitFor('@selection: nothing was selected or copied yet');
    expect(server.requests).toHaveLength(0);
    rig.key('ctrl-c');
    rig.type('printf "%s\\n" apples pears\r');
    await rig.waitFor(/❯ printf .*✓/);
    rig.key('alt-up');
    await rig.waitFor('SCROLL');
    rig.key('Y');
    await rig.waitFor('copied');
    rig.key('q');
    await rig.waitFor('RESTRICTED');
    rig.type('compare @last with @selection please\r');
    await rig.waitFor('Both came.');
    const text = server.requests[0]?.lastUser ?? '';
    expect(text).toMatch(/output of printf "%s\\n" apples pears:\n```\napples\npears\n```/);
    expect(text).toMatch(/selection:\n```\napples\npears\n```/);
  });

  it('is sent with a goal as well, typed after :norris or made a goal by Ctrl-N', async () => {
    await using server = await startScriptedServer([
      say('GOAL: complete\nfollowed it'),
      say('GOAL: complete\nand once more'),
    ]);
    using place = scratch(server.baseUrl);
    writeFileSync(join(place.work, 'plan.txt'), 'seven steps\n');
    await using rig = await openRig(place, '[aish:fast]>');
    rig.type(':norris follow @pl');
    await rig.waitFor('@pl');
    rig.key('tab');
    await rig.waitFor(/\+ @plan\.txt 12 bytes .*≈ \d+ tokens/);
    rig.type('\r');
    await rig.waitFor('followed it');
    expect(rig.text()).toContain('with plan.txt 12 bytes');
    expect(server.requests[0]?.lastUser).toContain('follow @plan.txt\n\nplan.txt:\n```\nseven steps\n```');
    rig.type('again @plan.txt');
    rig.key('ctrl-n');
    await rig.waitFor(/\+ @plan\.txt 12 bytes/);
    rig.type('\r');
    await rig.waitFor('and once more');
    expect(server.requests[1]?.lastUser).toContain('again @plan.txt\n\nplan.txt:\n```\nseven steps\n```');
    writeFileSync(join(place.work, 'big'), 'x'.repeat(256_001));
    rig.type(':norris follow @big\r');
    await rig.waitFor("big can't be attached: it is larger than 256 kB");
    await rig.waitFor(':norris follow @big');
  });

  it('returns to the prompt with a reason when it can’t be sent, and asks once more if it is a credential file', async () => {
    await using server = await startScriptedServer([say('I see a placeholder.')]);
    using place = scratch(undefined, {
      models: { fast: { base_url: server.baseUrl, model: 'scripted', secrets: 'scrub' } },
    });
    writeFileSync(join(place.work, 'big.log'), 'x'.repeat(256_001));
    writeFileSync(join(place.work, '.env'), `GITHUB_TOKEN=${TOKEN}\n`);
    symlinkSync('.env', join(place.work, 'harmless.txt'));
    await using rig = startRig(place);
    await rig.waitFor('[aish:fast]>');
    rig.type('what is wrong in @big.log\r');
    await rig.waitFor("big.log can't be attached: it is larger than 256 kB");
    await rig.waitFor('what is wrong in @big.log');
    rig.key('ctrl-c');
    rig.type('what is set in @harmless.txt\r');
    await rig.waitFor('harmless.txt may hold keys or passwords: Enter again sends it');
    expect(server.requests).toHaveLength(0);
    rig.key('enter');
    await rig.waitFor('I see a placeholder.');
    expect(server.requests[0]?.lastUser).toContain('GITHUB_TOKEN=⟦');
    expect(server.requests[0]?.text).not.toContain(TOKEN);
  });

  it('is not looked for in a line for the shell', async () => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl);
    writeFileSync(join(place.work, 'a.txt'), 'one');
    await using rig = await openRig(place, '[aish:fast]>');
    rig.type('echo @a.txt\r');
    await rig.waitFor(/❯ echo @a\.txt .*✓/);
    expect(rig.text()).not.toContain('+ @a.txt');
    expect(rig.text()).toMatch(/│ @a\.txt/);
  });
});

describe('an image', () => {
  it('reaches the model as it was at the time of the question, whether named or pasted as a path', async () => {
    await using server = await startScriptedServer([say('A black dot.'), say('Still black.')]);
    using place = scratch(server.baseUrl);
    const shot = join(place.work, 'my shot.png');
    writeFileSync(shot, PNG);
    await using rig = await openRig(place, '[aish:fast]>');
    rig.paste(`'${shot}'`);
    await rig.waitFor(/\+ .*image, 67 bytes/);
    rig.type('what is this?\r');
    await rig.waitFor('A black dot.');
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const sent = () => server.requests.at(-1)?.text ?? '';
    expect(sent()).toContain(JSON.stringify({ type: 'image_url', image_url: { url } }));
    writeFileSync(shot, 'gone');
    rig.type('?and now?\r');
    await rig.waitFor('Still black.');
    expect(sent()).toContain(url);
    const kept = readdirSync(place.home, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /image-\w+\.png$/.test(name),
    );
    expect(kept).toHaveLength(1);
    expect(statSync(join(place.home, kept[0] ?? '')).mode & 0o777).toBe(0o600);
  });

  it('is refused with a reason when the preset or the server’s earlier answer says that the model takes none', async () => {
    const refusal = { error: { status: 500, message: 'image input is not supported - hint: provide the mmproj' } };
    await using server = await startScriptedServer([refusal, say('Only words.')]);
    using place = scratch(undefined, {
      model: 'learns',
      models: {
        learns: { base_url: server.baseUrl, model: 'scripted' },
        blind: { base_url: server.baseUrl, model: 'scripted', images: false },
      },
    });
    writeFileSync(join(place.work, 'shot.png'), PNG);
    writeFileSync(join(place.work, 'fake.png'), 'no image');
    await using rig = startRig(place);
    await rig.waitFor('[aish:learns]>');
    rig.type('what is in @fake.png\r');
    await rig.waitFor("fake.png can't be attached: it is not an image");
    rig.key('ctrl-c');
    rig.type('what is in @shot.png\r');
    await rig.waitFor('learns takes no images');
    rig.type('what is in @shot.png\r');
    await rig.waitFor(/choose a model that does \(:model\)$/m);
    expect(server.requests).toHaveLength(1);
    rig.key('ctrl-c');
    rig.type('?just say something\r');
    await rig.waitFor('Only words.');
    expect(server.requests[1]?.text).not.toContain('image_url');
    expect(server.requests[1]?.text).toContain('shot.png was left out');
    rig.type(':model blind\r');
    await rig.waitFor('[aish:blind]>');
    rig.type('what is in @shot.png\r');
    await rig.waitFor('blind takes no images');
    expect(server.requests).toHaveLength(2);
  });
});
