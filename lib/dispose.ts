/**
 * A vm context of Node.js 20 lacks `Symbol.dispose` and `Symbol.asyncDispose`, which `using` asks for
 * there by the symbols that Node.js itself registers: the method that the class has then under the key
 * of nothing is moved.
 */
function moved(
  type: { readonly prototype: object },
  symbol: symbol | undefined,
  name: string,
): void {
  if (symbol !== undefined) return;
  const { prototype } = type;
  const method = Object.getOwnPropertyDescriptor(prototype, 'undefined');
  if (method === undefined) return;
  Object.defineProperty(prototype, Symbol.for(name), method);
  Reflect.deleteProperty(prototype, 'undefined');
}

export const disposable = (type: { readonly prototype: object }): void =>
  moved(type, Symbol.dispose, 'nodejs.dispose');

export const asyncDisposable = (type: { readonly prototype: object }): void =>
  moved(type, Symbol.asyncDispose, 'nodejs.asyncDispose');
