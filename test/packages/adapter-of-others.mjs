import { createServer } from 'node:http';
import { test } from 'node:test';
import { adapterConformance } from 'operation-rest/conformance';

adapterConformance({
  test,
  async listen(facade) {
    const server = createServer((request, response) => {
      if (!facade.handle(request, response)) request.pipe(response.writeHead(421));
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
  },
});
