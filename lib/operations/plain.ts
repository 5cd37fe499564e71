import { types } from 'node:util';
import { isWellFormed } from './identifiers.js';

/** What a value is refused with: the JSON Pointer of what is wrong with it, and why. */
export type Refuse = (path: string, why: string) => Error;

type Copied = null | boolean | number | string | Copied[] | { [name: string]: Copied };

/** How many objects and arrays may stand around one another; the outermost counts as 1. */
const MAX_DEPTH = 128;

/**
 * The JSON text of an object, as `JSON.stringify` writes it; but what that would change in silence,
 * or not finish, is refused. `toJSON`, getters and proxies run once each, and what they throw passes
 * unchanged. `why` goes on from the name of the value: "is a function".
 *
 * A copy is what is written, so that nothing that has been looked at can be another thing when it is
 * written. Two passes over plain data cost less than one that writes text piece by piece.
 */
export function plain(value: object, refuse: Refuse): string {
  const copy = new Copy(refuse).whole(value);
  // Arrays cannot go without a prototype as the copied objects do.
  if ('toJSON' in Array.prototype) hideToJSON(copy);
  const text = JSON.stringify(copy);
  // A lone surrogate is written as an escape, and so rarely is anything else that begins alike
  // that strings need not be looked at one by one.
  if (text.includes('\\ud')) {
    const path = illFormed(copy, '');
    if (path !== undefined) throw refuse(path, 'holds a lone surrogate');
  }
  return text;
}

/** Made by `new`, and so of one shape, unlike what `Object.create(null)` makes. */
const Members = function () {} as unknown as new () => { [name: string]: Copied };
// No member is inherited: `__proto__` and `toJSON` are names like any other.
Members.prototype = Object.freeze(Object.create(null));

class Copy {
  readonly #refuse: Refuse;
  /** By depth: the name under which the value being read was found. */
  readonly #names: Array<string | number> = [];
  /** By depth: the objects and arrays around it. */
  readonly #around: object[] = [];

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  whole(value: object): Copied {
    const copy = this.#copy(value, '', 0);
    if (typeof copy !== 'object' || copy === null || Array.isArray(copy))
      throw this.#refused(0, 'is no object in its JSON form');
    return copy;
  }

  /** `undefined` for what has no form, as `JSON.stringify` has it of undefined alone. */
  #copy(given: unknown, name: string | number, depth: number): Copied | undefined {
    let value = given;
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        break;
      default: {
        if (value === null) return null;
        const { toJSON } = value as { toJSON?: unknown };
        if (typeof toJSON === 'function') value = Reflect.apply(toJSON, value, [`${name}`]);
        if (typeof value === 'object' && value !== null && !isPlain(value)) {
          this.#assertKind(value, depth);
          if (types.isBoxedPrimitive(value)) value = unboxed(value);
        }
      }
    }
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        if (!Number.isFinite(value)) throw this.#refused(depth, `is ${value}`);
        return value;
      case 'object':
        return value === null ? null : this.#container(value, depth);
      default:
        throw this.#refused(depth, `is a ${typeof value}`);
    }
  }

  #container(value: object, depth: number): Copied {
    const around = this.#around;
    for (let outer = 0; outer < depth; outer += 1)
      if (around[outer] === value) throw this.#refused(depth, 'is inside itself');
    if (depth === MAX_DEPTH)
      throw this.#refused(depth, `is nested more than ${MAX_DEPTH} levels deep`);
    around[depth] = value;
    return Array.isArray(value) ? this.#list(value, depth) : this.#members(value, depth);
  }

  #list(value: readonly unknown[], depth: number): Copied[] {
    const length = value.length;
    const copy: Copied[] = [];
    for (let index = 0; index < length; index += 1) {
      this.#names[depth] = index;
      const item = this.#copy(value[index], index, depth + 1);
      if (item === undefined) throw this.#refused(depth + 1, 'is undefined, inside an array');
      copy.push(item);
    }
    return copy;
  }

  #members(value: object, depth: number): Copied {
    const copy = new Members();
    for (const name of Object.keys(value)) {
      this.#names[depth] = name;
      const member = this.#copy((value as Record<string, unknown>)[name], name, depth + 1);
      if (member !== undefined) copy[name] = member;
    }
    return copy;
  }

  #assertKind(value: object, depth: number): void {
    const kind = KINDS.find(([is]) => is(value));
    if (kind !== undefined) throw this.#refused(depth, `is ${kind[1]}`);
  }

  #refused(depth: number, why: string): Error {
    const path = this.#names
      .slice(0, depth)
      .reduce<string>((above, name) => below(above, name), '');
    return this.#refuse(path, why);
  }
}

/** Of this realm; any other object is looked at more closely. A proxy is what its traps say it is. */
function isPlain(value: object): boolean {
  if (Array.isArray(value) || types.isProxy(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A DOMException of a vm context of Node.js 20 is neither a native error nor of this realm. */
function isError(value: object): boolean {
  const tag: string = Object.prototype.toString.call(value);
  return types.isNativeError(value) || value instanceof Error || tag === '[object DOMException]';
}

/** What `JSON.stringify` makes an empty object of. By what they are, in whatever realm they were made. */
const KINDS: ReadonlyArray<readonly [(value: object) => boolean, string]> = [
  [types.isMap, 'a Map'],
  [types.isSet, 'a Set'],
  [types.isWeakMap, 'a WeakMap'],
  [types.isWeakSet, 'a WeakSet'],
  [types.isPromise, 'a promise'],
  [types.isRegExp, 'a regular expression'],
  [isError, 'an error'],
  [types.isAnyArrayBuffer, 'an ArrayBuffer'],
  [types.isArrayBufferView, 'a view of an ArrayBuffer'],
  [types.isSymbolObject, 'a symbol'],
];

/** As `JSON.stringify` does it: by the conversions of the language, which call `valueOf` and `toString`. */
function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return +value;
  if (types.isStringObject(value)) return `${value as unknown as string}`;
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  return BigInt.prototype.valueOf.call(value);
}

const below = (path: string, name: string | number): string =>
  `${path}/${`${name}`.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The path of the first string or member name with a lone surrogate; for a name that of the object. */
function illFormed(copy: Copied, path: string): string | undefined {
  if (typeof copy === 'string') return isWellFormed(copy) ? undefined : path;
  if (typeof copy !== 'object' || copy === null) return undefined;
  for (const [name, member] of Object.entries(copy)) {
    if (!isWellFormed(name)) return path;
    const found = illFormed(member, below(path, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** It was asked once already, and a copy has none of its own. */
function hideToJSON(copy: Copied): void {
  if (typeof copy !== 'object' || copy === null) return;
  if (Array.isArray(copy)) Object.defineProperty(copy, 'toJSON', { value: undefined });
  Object.values(copy).forEach(hideToJSON);
}
