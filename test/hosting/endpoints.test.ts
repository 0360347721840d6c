import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);

test('public', async () => {
  for (const path of ['/users/WREN', '/orgs/Harbor-Lab', '/repos/harbor-lab/compass', '/repos/tomas/compass']) {
    const a = await call(gateway, 'GET', path);
    console.log(path, a.status, JSON.stringify(a.json).slice(0, 300), Object.fromEntries(a.headers));
    expect(a.status).toBe(200);
  }
  for (const login of ['wren','okello'] as const) {
    const a = await call(gateway, 'GET', '/user', `token ${demo.users[login].classic_token}`);
    console.log(a.status, a.text.slice(0,200), Object.fromEntries(a.headers));
  }
  const jwt = await appJwt(gateway, demo);
  const app = await call(gateway, 'GET', '/app', `Bearer ${jwt}`);
  console.log(app.status, app.text);
  const t = await call(gateway, 'POST', `/app/installations/${demo.app.installation_id}/access_tokens`, `Bearer ${jwt}`, {});
  console.log(t.status, t.text);
  const r = await call(gateway, 'GET', '/repos/harbor-lab/ledger', `Bearer ${t.json.token}`);
  console.log(r.status, r.text.slice(0,200), r.json?.permissions);
  const l = await call(gateway, 'GET', '/user/repos', `Bearer ${demo.users.tomas.classic_token}`);
  console.log(l.status, l.json?.map((x:any)=>x.full_name), Object.fromEntries(l.headers));
});
