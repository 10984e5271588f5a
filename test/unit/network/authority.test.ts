import { describe, expect, it } from '@jest/globals';
import { authorityOf, canonicalHost, parseAuthority } from '../../../src/network/authority.js';
import { askedFor } from '../../../src/network/forward.js';

describe('a host', () => {
  it.each([
    ['api.anthropic.com', 'api.anthropic.com'],
    ['API.Anthropic.COM', 'api.anthropic.com'],
    ['api.anthropic.com.', 'api.anthropic.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['ａｐｉ.example', 'api.example'],
    ['api。example', 'api.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
  ])('%j is read as %j', (written, host) => {
    expect(canonicalHost(written)).toBe(host);
  });

  // Cyrillic: looks the same, and is another name.
  it('is not mistaken for one that looks the same', () => {
    expect(canonicalHost('аpi.example')).not.toBe('api.example');
  });

  it.each([
    '',
    '.',
    '..',
    'a..b',
    'api.example..',
    'a b',
    'a\tb',
    'a\nb',
    'a/b',
    'a\\b',
    'a?b',
    'a#b',
    'user@api.example',
    'api.example%00.evil.example',
    '%61pi.example',
    '[::1',
    '[fe80::1%25eth0]',
    '999.999.999.999',
    'a'.repeat(256),
  ])('%j is none', (written) => {
    expect(canonicalHost(written)).toBeNull();
  });
});

describe('host and port', () => {
  it.each([
    ['api.example:443', { host: 'api.example', port: 443 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['Api.Example.:65535', { host: 'api.example', port: 65_535 }],
  ])('%j is a target, and is written the same way again', (written, target) => {
    expect(parseAuthority(written)).toEqual(target);
    expect(parseAuthority(authorityOf(target))).toEqual(target);
  });

  it.each([
    'api.example',
    'api.example:',
    'api.example:0',
    'api.example:65536',
    'api.example:443x',
    'api.example:+443',
    ':443',
    '::1:443',
    'api.example@evil.example:443',
    'user:secret@api.example:443',
    'api.example:443@evil.example:443',
    'api.example:443/path',
    '[::1]evil.example:443',
    'evil[::1]:443',
    'http://api.example:443',
  ])('%j is no target', (written) => {
    expect(parseAuthority(written)).toBeNull();
  });
});

describe('a plain HTTP request to the proxy', () => {
  it.each([
    ['http://api.example/v1?a=b', { host: 'api.example', port: 80 }, '/v1?a=b'],
    ['HTTP://Api.Example:8080', { host: 'api.example', port: 8080 }, '/'],
    ['http://api.example?a=b', { host: 'api.example', port: 80 }, '/?a=b'],
    ['http://[::1]:80/', { host: '::1', port: 80 }, '/'],
  ])('%j goes to its host', (url, target, path) => {
    expect(askedFor(url)).toEqual({ target, path });
  });

  it.each([
    '/v1/messages',
    'https://api.example/',
    'ftp://api.example/',
    'http://api.example@evil.example/',
    'http://user:secret@api.example/',
    'http:///v1',
    'http:\\\\api.example/',
  ])('%j names no target', (url) => {
    expect(askedFor(url).target).toBeNull();
  });
});
