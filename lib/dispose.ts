/**
 * A vm context of Node.js 20 lacks `Symbol.dispose`, which `using` asks for there by the symbol that
 * Node.js itself registers: the method that the class has then under the key of nothing is moved.
 */
export function disposable(type: { readonly prototype: object }): void {
  if (Symbol.dispose !== undefined) return;
  const { prototype } = type;
  const method = Object.getOwnPropertyDescriptor(prototype, 'undefined');
  if (method === undefined) return;
  Object.defineProperty(prototype, Symbol.for('nodejs.dispose'), method);
  Reflect.deleteProperty(prototype, 'undefined');
}
