import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { page, type TimelineData } from '../cli/timeline/index.js';
import { everyday, hostile, hostileTexts } from './fixtures/timeline/samples.js';

const dataOf = (html: string): unknown => {
  const [, text] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(text ?? '');
};
const between = (html: string, open: string, close: string): string =>
  html.slice(html.indexOf(open) + open.length, html.indexOf(close, html.indexOf(open)));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

test.each([
  ['an everyday page', everyday],
  ['a page of hostile texts', hostile],
])('%s carries its data unchanged', (_, data) => {
  expect(dataOf(page(data))).toEqual(JSON.parse(JSON.stringify(data)));
});

test('no text of the data opens or closes an element, a comment or a script', () => {
  const html = page(hostile);
  expect(html.match(/<script/gi)).toHaveLength(2);
  expect(html.match(/<\/script/gi)).toHaveLength(2);
  // The first line is a comment of ours, and there is no other.
  expect(html.match(/<!--/g)).toHaveLength(1);
  expect(html.match(/<img|<iframe|<svg/i)).toBeNull();
  expect(html.match(/[\u2028\u2029]/)).toBeNull();
  // A text that is not well-formed becomes an escape and no broken byte.
  expect(html.isWellFormed()).toBe(true);
  expect(hostileTexts.some((text) => !text.isWellFormed())).toBe(true);
});

test('only the script and the style of the page itself are allowed', () => {
  const html = page(everyday);
  const policy = between(html, 'http-equiv="Content-Security-Policy" content="', '">');
  const directives = new Map(
    policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1)]),
  );
  const script = html.slice(html.lastIndexOf('<script>') + 8, html.lastIndexOf('</script>'));
  const style = between(html, '<style>', '</style>');
  expect(script.length).toBeGreaterThan(1000);
  expect(style.length).toBeGreaterThan(1000);
  expect(directives.get('default-src')).toEqual(["'none'"]);
  expect(directives.get('script-src')).toEqual([`'sha256-${sha256(script)}'`]);
  expect(directives.get('style-src')).toEqual([`'sha256-${sha256(style)}'`]);
  expect(directives.get('require-trusted-types-for')).toEqual(["'script'"]);
});

test('a page names no other address, and asks for none', () => {
  const html = page({ ...everyday, items: [] });
  expect(html.match(/\b(?:https?|wss?|ftp):/i)).toBeNull();
  expect(html.match(/\s(?:src|srcset|action|poster|ping)=/i)).toBeNull();
  expect(html.match(/\burl\(|@import|\bimport\s*\(/)).toBeNull();
  expect(html.match(/\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\b/)).toBeNull();
  const links = [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toEqual(['#rows']);
});

test('the same data make the same page, byte for byte', () => {
  const again = JSON.parse(JSON.stringify(everyday)) as TimelineData;
  expect(page(again)).toBe(page(everyday));
});
