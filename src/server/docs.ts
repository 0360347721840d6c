import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { pathOf } from './request-target.ts';

const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Only the files that the page needs: the package's own index.html loads another API. */
const assetPaths = [
  '/swagger-ui.css',
  '/index.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/favicon-32x32.png',
];

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico: the published contracts</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="index.css">
<link rel="icon" href="favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="swagger-ui-standalone-preset.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

// A separate file, so that the content security policy needs no exception for inline scripts. URLs are relative, so that they
// work behind a proxy that adds a path prefix.
const startScript = `const published = name => new URL('../openapi/' + name + '.json', location.href).pathname;
const asked = new URLSearchParams(location.search).get('page');

// A documentation URL of the code hosting API arrives as its path in the query, and with its fragment: the operation is opened.
const show = async () => {
  if (asked === null) return;
  const { paths } = await (await fetch(published('hosting'))).json();
  for (const operation of Object.values(paths).flatMap(methods => Object.values(methods))) {
    if (!operation.externalDocs?.url.endsWith(asked + location.hash)) continue;
    history.replaceState(null, '', location.pathname + location.search + '#/' + encodeURIComponent(operation.tags[0]) + '/' + operation.operationId);
    return;
  }
};

show().finally(() => SwaggerUIBundle({
  ...(asked === null ? {} : { 'urls.primaryName': 'Code hosting API' }),
  urls: [
    { name: 'Health companion API', url: published('health') },
    { name: 'Code hosting API', url: published('hosting') },
  ],
  dom_id: '#swagger-ui',
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  docExpansion: 'list',
  deepLinking: true,
  validatorUrl: null,
}));
`;

/** `/docs`: Swagger UI for the published API documents, served from the installed package without a CDN. */
export function docsRouter(): Router {
  const router = express.Router({ caseSensitive: true });
  router.get('/', contentSecurityPolicy, (request, response) => {
    const path = pathOf(request.originalUrl);
    if (!path.endsWith('/')) response.redirect(301, `docs/${request.originalUrl.slice(path.length)}`);
    else response.type('html').send(page);
  });
  // Errors of the code hosting API link to pages below these paths, as its clients expect; all of them are this page. A browser keeps
  // the fragment of a redirected URL.
  router.get(/^\/(rest|v3)(\/[\w/-]*)?$/, (request, response) => {
    const up = '../'.repeat(request.path.split('/').length - 2) || './';
    const query = new URLSearchParams(request.originalUrl.slice(pathOf(request.originalUrl).length));
    query.set('page', request.path);
    response.redirect(302, `${up}?${query}`);
  });
  router.get('/start.js', contentSecurityPolicy, (_request, response) => {
    response.type('js').send(startScript);
  });
  router.get(assetPaths, contentSecurityPolicy, express.static(assets, { index: false, redirect: false }));
  return router;
}

/** Hash of the style element that Swagger UI adds to the page, in its logo. */
const logoStyle = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** Everything from this origin; icons use data URLs. */
const contentSecurityPolicy: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", logoStyle],
    'img-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
});
