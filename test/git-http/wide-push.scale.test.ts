import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';
import { newWorld } from '../hosting/contents/world.ts';
import { Clone, remoteUrl } from './git-client.ts';
import { commandLines, entry, madeCommit, madeTree, oidOf, sendPush } from './packs.ts';

const gateway = await testGateway();
const token = (await demoOf(gateway)).users.wren.classic_token;

test('a push of 200 folders with 1,000 files each, and the fetch that follows it, pass with the default limits', async () => {
  // Before there is a connection, which the gateway would close while this process makes the pack.
  const entries: Buffer[] = [];
  const folders: { mode: string; name: string; oid: string }[] = [];
  for (let folder = 0; folder < 200; folder++) {
    const files = Array.from({ length: 1_000 }, (_, at) => {
      const content = Buffer.from(`${folder} ${at}`);
      entries.push(entry('blob', content.length, content));
      return { name: `f${String(at).padStart(4, '0')}`, oid: oidOf('blob', content) };
    });
    const tree = madeTree(files);
    entries.push(entry('tree', tree.content.length, tree.content));
    folders.push({ mode: '40000', name: `d${String(folder).padStart(4, '0')}`, oid: tree.oid });
  }
  const root = madeTree(folders);
  const commit = madeCommit(root.oid);
  for (const { type, content } of [root, commit]) entries.push(entry(type, content.length, content));
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const bytes = Buffer.concat([head, ...entries]);
  const checksum = createHash('sha1').update(bytes).digest();
  const world = await newWorld(gateway, token);
  await world.commit({ 'a.txt': 'one\n' });
  const url = remoteUrl(gateway.url, `${world.owner}/${world.name}`, token);
  // Now there is a copy: the next fetch looks for what is missing in it, more ids than a call takes as arguments.
  await Clone.of(url);
  const commands = Buffer.from(commandLines([{ ref: 'refs/heads/wide', to: commit.oid }]));
  const { text } = await sendPush(gateway, world, token, Buffer.concat([commands, bytes, checksum]));
  expect(text).toContain('ok refs/heads/wide');
  const clone = await Clone.of(url, '--bare');
  expect(await clone.run('rev-parse', 'wide')).toBe(commit.oid);
}, 300_000);
