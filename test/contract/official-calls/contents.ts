import type { OfficialCalls, OfficialWorld } from './official-world.ts';

const readme = async (world: OfficialWorld) => {
  const repository = await world.repository();
  const { json } = await world.send('GET', `${repository}/contents/README.md`);
  return { repository, sha: json.sha as string };
};
const content = Buffer.from('text\n').toString('base64');

export const contentCalls: OfficialCalls = {
  CreateOrUpdateFileContents: async world => {
    const { repository, sha } = await readme(world);
    return [
      {
        path: `${repository}/contents/new.txt`,
        authorization: world.wren,
        body: { message: 'A file', content },
      },
      {
        path: `${repository}/contents/README.md`,
        authorization: world.wren,
        body: { message: 'Change', content, sha },
      },
    ];
  },
  DeleteFile: async world => {
    const { repository, sha } = await readme(world);
    return { path: `${repository}/contents/README.md`, authorization: world.wren, body: { message: 'Remove', sha } };
  },
  GetContent: async world => [
    { path: '/repos/harbor-lab/compass/contents/' },
    { path: '/repos/harbor-lab/compass/contents/README.md' },
    { path: `${await world.repository()}/contents/README.md`, authorization: world.wren },
  ],
  GetReadme: async () => [{ path: '/repos/harbor-lab/compass/readme', accept: 'application/json' }],
  GetReadmeInDirectory: async world => {
    const repository = await world.repository();
    await world.send('PUT', `${repository}/contents/docs/README.md`, world.wren, { message: 'Docs', content });
    return [{ path: `${repository}/readme/docs`, accept: 'application/vnd.host+json' }];
  },
  DownloadTarballArchive: async () => ({ path: '/repos/harbor-lab/compass/tarball/main' }),
  DownloadZipballArchive: async () => ({ path: '/repos/harbor-lab/compass/zipball/main' }),
};
