import ts from 'typescript';

/** @typedef {{ from: number, to: number }} Range */

/** @param {ts.ClassElement} member */
const isHidden = (member) => {
  if (ts.isConstructorDeclaration(member) || !member.name) return false;
  if (ts.isPrivateIdentifier(member.name)) return true;
  return (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0;
};

/** The names that a file exports by its lists at the end. @param {ts.SourceFile} file */
function exportedNames(file) {
  const names = new Set();
  for (const statement of file.statements) {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    for (const { name, propertyName } of statement.exportClause.elements) {
      names.add((propertyName ?? name).text);
    }
  }
  return names;
}

/** Interfaces that classes implement for the face's own sake. @param {ts.ClassDeclaration} node */
function innerClauses(node, /** @type {Set<string>} */ inner) {
  return (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .map((clause) => {
      const kept = clause.types.filter((type) => !inner.has(type.expression.getText()));
      return { clause, kept };
    })
    .filter(({ clause, kept }) => kept.length < clause.types.length);
}

/**
 * Takes out of a bundled declaration what is nobody's business: private members, which would make a
 * class unlike every other type with the same members, and interfaces that are not exported.
 * @param {string} text
 */
export function prune(text) {
  const file = ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.Latest, true);
  const exported = exportedNames(file);
  const inner = new Set(
    file.statements
      .filter((node) => ts.isInterfaceDeclaration(node))
      .map((node) => node.name.text)
      .filter((name) => !exported.has(name)),
  );

  /** @type {(Range & { put: string })[]} */
  const edits = [];
  for (const node of file.statements) {
    if (ts.isInterfaceDeclaration(node) && inner.has(node.name.text)) {
      edits.push({ from: node.getFullStart(), to: node.end, put: '' });
    }
    if (!ts.isClassDeclaration(node)) continue;
    for (const member of node.members.filter(isHidden)) {
      edits.push({ from: member.getFullStart(), to: member.end, put: '' });
    }
    for (const { clause, kept } of innerClauses(node, inner)) {
      const put =
        kept.length > 0 ? ` implements ${kept.map((type) => type.getText()).join(', ')}` : '';
      edits.push({ from: clause.getFullStart(), to: clause.end, put });
    }
  }
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((rest, { from, to, put }) => rest.slice(0, from) + put + rest.slice(to), text);
}
