// The codes of errors: declared, refused with and documented are one list.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ApplicationOperationBusyError, SessionBusyError, TenureError } from '../index.js';
import { documents } from './docs-kit.ts';
import { binding } from './fixtures/boundary/kit.js';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const text = (path: string) => readFileSync(at(path), 'utf8');
const codesIn = (source: string) => [...new Set(source.match(/\bERR_[A-Z_]+\b/g))].sort();

const listed = (name: string) =>
  codesIn(new RegExp(`type ${name} =([^;]*);`).exec(text('index.d.ts'))?.[1] ?? '');
const declared = [...new Set([...listed('CoreErrorCode'), ...listed('OperationErrorCode')])].sort();
const names = binding.refusals().filter((_, index) => index % 2 === 0);
const codes = binding.refusals().filter((_, index) => index % 2 === 1);

describe('the codes', () => {
  it('that are declared are those that the core refuses with', () => {
    expect(listed('CoreErrorCode').length).toBeGreaterThan(20);
    expect(listed('OperationErrorCode').length).toBeGreaterThan(20);
    expect([...new Set(codes)].sort()).toEqual(declared);
  });

  it('have reasons with names of their own, the first of them for a fault of ours', () => {
    expect(new Set(names).size).toBe(names.length);
    expect([names[0], codes[0]]).toEqual(['Internal', 'ERR_INTERNAL']);
  });

  it('carry no prefix of the package', () => {
    expect(declared.filter((code) => /TENURE/.test(code))).toEqual([]);
  });

  it('are those that docs/errors.md has a row for, each with what to do', () => {
    const rows = text('docs/errors.md').match(/^\| *`ERR_.*$/gm) ?? [];
    expect(rows.map((row) => codesIn(row.split('|')[1] ?? '')[0]).sort()).toEqual(declared);
    for (const row of rows) {
      const cells = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      expect(cells.length).toBeGreaterThanOrEqual(3);
      expect(cells.filter((cell) => cell.length < 2)).toEqual([]);
    }
  });

  it('that the documentation speaks of are declared, or those of Node.js, of the command and of the example', () => {
    const others = [
      ...['ERR_DLOPEN_FAILED', 'ERR_TIMELINE_EXISTS'],
      ...['ERR_STEP_UNSETTLED', 'ERR_STOP_FAILED'],
    ];
    expect(documents).toContain('docs/errors.md');
    for (const page of documents)
      expect(
        codesIn(text(page)).filter((code) => ![...declared, ...others].includes(code)),
        page,
      ).toEqual([]);
  });
});

describe('an error of tenure', () => {
  it('is an Error of its class, with code, message and stack of the caller', () => {
    const error = new TenureError('ERR_CLOSED', 'message', { cause: 'cause' });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code, error.message, error.cause]).toEqual([
      'TenureError',
      'ERR_CLOSED',
      'message',
      'cause',
    ]);
    expect(error.stack).toMatch(/^(Tenure)?Error: message\n[\s\S]*boundary-codes/);
    expect(Object.keys(error)).toEqual(['code']);
  });

  it('of a busy session or operation is one, too', () => {
    for (const busy of [SessionBusyError, ApplicationOperationBusyError])
      expect(Object.getPrototypeOf(busy)).toBe(TenureError);
  });
});

describe('docs/faults.md', () => {
  const rows = text('docs/faults.md').match(/^\|.*\|$/gm) ?? [];

  it('names tests that there are', () => {
    const missing: string[] = [];
    let named = 0;
    for (const row of rows) {
      const files = [...row.matchAll(/`([a-z_-]+)`/g)]
        .flatMap(([, name]) => [at(`__test__/${name}.test.ts`), at(`tests/${name}.rs`)])
        .filter((path) => existsSync(path));
      const texts = files.map((path) => readFileSync(path, 'utf8'));
      // In Rust a sentence is the name of a function.
      const sources = [...texts, ...texts.map((code) => code.replaceAll('_', ' '))].join('\n');
      for (const [, title] of row.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)) {
        named += 1;
        const parts = (title ?? '').split('…').map((part) => part.trim());
        if (parts.some((part) => !sources.includes(part))) missing.push(title ?? '');
      }
    }
    expect(missing).toEqual([]);
    expect(named).toBeGreaterThan(40);
  });

  it('has a row for every kind of fault that concerns the core', () => {
    const ids = rows.map((row) => /^\| ([AN]\d\d) \|/.exec(row)?.[1]).filter(Boolean);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(38);
  });

  it('has a row for every kind of fault of journals and of systems of jobs', () => {
    const ids = rows.map((row) => /^\| ([JR]\d\d) \|/.exec(row)?.[1]).filter(Boolean);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id?.startsWith('R'))).toHaveLength(13);
    expect(ids.filter((id) => id?.startsWith('J'))).toHaveLength(19);
  });
});

describe('the source of the addon', () => {
  it('hands out no memory of its own, which some hosts refuse', () => {
    const raw = text('src/bindings/raw.rs');
    expect(raw).toContain('napi_get_typedarray_info');
    expect(raw).not.toMatch(/napi_create_(external|buffer|arraybuffer)/);
  });
});
