// An authorisation server, oidc-provider, and a server that it protects, for TestPeer. It prints their addresses.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const api = createServer();
await new Promise((done) => api.listen(0, '127.0.0.1', done));
const resource = `http://127.0.0.1:${api.address().port}/mcp`;

const auth = createServer();
await new Promise((done) => auth.listen(0, '127.0.0.1', done));
const issuer = `http://127.0.0.1:${auth.address().port}`;

const provider = new Provider(issuer, {
  scopes: ['openid', 'offline_access', 'read', 'write'],
  pkce: { required: () => true },
  features: {
    registration: { enabled: true },
    deviceFlow: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_ctx, name) => {
        if (name !== resource) throw new Error('unknown resource');
        return { scope: 'read write', audience: resource, accessTokenTTL: 2, accessTokenFormat: 'opaque' };
      },
      useGrantedResource: () => true,
    },
  },
});
auth.on('request', provider.callback());
let used = 0;
provider.on('refresh_token.consumed', () => { used += 1; });

api.on('request', async (req, res) => {
  const metadata = `http://127.0.0.1:${api.address().port}/.well-known/oauth-protected-resource/mcp`;
  if (req.url.startsWith('/.well-known/oauth-protected-resource')) {
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: ['read'] }));
    return;
  }
  const token = await provider.AccessToken.find((req.headers.authorization ?? '').replace(/^Bearer /, ''));
  if (!token || token.isExpired || token.aud !== resource) {
    res.writeHead(401, { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}"` });
    res.end();
    return;
  }
  res.end(`${token.scope} ${used}`);
});
console.log(JSON.stringify({ issuer, resource }));
