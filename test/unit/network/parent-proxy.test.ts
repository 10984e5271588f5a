import { describe, expect, it } from '@jest/globals';
import { parentProxy } from '../../../src/network/parent-proxy.js';

const target = (host: string, port = 443) => ({ host, port });

describe('the proxy of this machine', () => {
  it('is none where no variable names one', () => {
    expect(parentProxy({})).toBeNull();
    expect(parentProxy({ HTTPS_PROXY: '', HTTP_PROXY: 'http://p:1' })).toBeNull();
  });

  it.each([
    ['', 'api.example', 443, true],
    ['*', 'api.example', 443, false],
    ['api.example', 'api.example', 443, false],
    ['example', 'api.example', 443, false],
    ['.example', 'api.example', 443, false],
    ['*.example', 'api.example', 443, false],
    ['pi.example', 'api.example', 443, true],
    ['a.example, api.example', 'api.example', 443, false],
    ['api.example:8443', 'api.example', 443, true],
    ['api.example:8443', 'api.example', 8443, false],
    ['10.0.0.0/8', '10.1.1.1', 443, true],
    ['', '127.0.0.1', 8080, false],
    ['', 'localhost', 8080, false],
  ])('with NO_PROXY %j: whether it is for %s:%d is %j', (list, host, port, expected) => {
    const proxy = parentProxy({ HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: list });
    expect(proxy?.isFor(target(host, port))).toBe(expected);
  });

  it.each([
    ['socks5://proxy.example', 'socks5:// is not supported'],
    ['http://', 'it is no URL'],
    ['http://name:secret@pro xy', 'it is no URL'],
  ])('is refused when it is %j, without its value', (value, problem) => {
    const read = () => parentProxy({ https_proxy: value });
    expect(read).toThrow(`https_proxy is no proxy that can be used: ${problem}`);
    expect(read).not.toThrow(/secret/);
  });
});
