import { createServer } from 'node:http';
import { once } from 'node:events';

/**
 * A registry of npm with what is published to it and nothing else, on this machine only: what is
 * tested is the way through a registry, by name and with the choice of a platform, not a tarball.
 * @typedef {object} Registry
 * @property {string} url
 * @property {Map<string, any>} documents what is published, by name
 * @property {string[]} published names in order
 * @property {Set<string>} fetched files that somebody has downloaded
 * @property {() => void} close
 */

/** Package managers may refuse what is too new. */
const longAgo = '2020-01-01T00:00:00.000Z';

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** @returns {Promise<Registry>} */
export async function startRegistry() {
  /** @type {Map<string, any>} */
  const documents = new Map();
  /** @type {Map<string, Buffer>} */
  const tarballs = new Map();
  const published = /** @type {string[]} */ ([]);
  const fetched = /** @type {Set<string>} */ (new Set());
  let url = '';

  /** Takes what `npm publish` sends: the document, with the tarball inside. @param {any} sent */
  function take(sent) {
    for (const [file, { data }] of Object.entries(sent._attachments)) {
      tarballs.set(file, Buffer.from(data, 'base64'));
    }
    const versions = Object.values(sent.versions);
    for (const version of versions) {
      version.dist.tarball = `${url}${sent.name}/-/${sent.name}-${version.version}.tgz`;
    }
    delete sent._attachments;
    const times = versions.map(({ version }) => [version, longAgo]);
    sent.time = { created: longAgo, modified: longAgo, ...Object.fromEntries(times) };
    documents.set(sent.name, sent);
    published.push(sent.name);
  }

  const server = createServer(async (request, response) => {
    const [name = '', dash, file = ''] = decodeURIComponent(request.url ?? '')
      .replace(/\?.*$/, '')
      .slice(1)
      .split('/');
    /** @param {number} status @param {string | Buffer} body @param {string} [type] */
    const answer = (status, body, type = 'application/json') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method === 'PUT') {
      take(await bodyOf(request));
      return answer(201, '{"ok":true}');
    }
    const tarball = dash === '-' && tarballs.get(file);
    if (tarball) {
      fetched.add(file);
      return answer(200, tarball, 'application/octet-stream');
    }
    const document = dash === undefined && documents.get(name);
    return document ? answer(200, JSON.stringify(document)) : answer(404, '{"error":"Not found"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  url = `http://127.0.0.1:${address.port}/`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, documents, published, fetched, close };
}
