import { Schema, SchemaAST } from "effect"

/** The identifier of the Schema of redacted values. */
const redacted = Schema.RedactedFromSelf(Schema.String).ast

/** The places of secrets in a Schema, with `*` for names and indices: `upstreams.*.api_key`. */
export const secretPaths = (ast: SchemaAST.AST, path = ""): ReadonlySet<string> => {
  const at = (part: string) => (path === "" ? part : `${path}.${part}`)
  switch (ast._tag) {
    case "Declaration":
      return new Set(isRedacted(ast) ? [path] : [])
    case "Transformation":
      return secretPaths(ast.to, path)
    case "Refinement":
      return secretPaths(ast.from, path)
    case "Suspend":
      return new Set()
    case "Union":
      return new Set(ast.types.flatMap((type) => [...secretPaths(type, path)]))
    case "TupleType":
      return new Set([...ast.elements, ...ast.rest].flatMap(({ type }) => [...secretPaths(type, at("*"))]))
    case "TypeLiteral":
      return new Set([
        ...ast.propertySignatures.flatMap(({ name, type }) => [...secretPaths(type, at(String(name)))]),
        ...ast.indexSignatures.flatMap(({ type }) => [...secretPaths(type, at("*"))])
      ])
    default:
      return new Set()
  }
}

const isRedacted = ({ annotations }: SchemaAST.Declaration): boolean =>
  annotations[SchemaAST.DescriptionAnnotationId] === redacted.annotations[SchemaAST.DescriptionAnnotationId]
