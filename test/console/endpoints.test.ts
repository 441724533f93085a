import { HttpApi } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Option, SchemaAST } from "effect"
import { endpoints } from "../../console/endpoints.ts"
import { AccountApi } from "../../src/account/Api.ts"
import { AdminApi } from "../../src/admin/Api.ts"
import { ModelsApi } from "../../src/catalogue/Api.ts"
import { ConsoleApi } from "../../src/people/signIn/Api.ts"
import { withoutDecodeError } from "../../src/contract/failures/withoutDecodeError.ts"
import { DevicesContract } from "../../src/people/programs/Api.ts"
import { ToolsContract } from "../../src/people/tools/Api.ts"
import { VideosApi } from "../../src/videos/Api.ts"

const contracts = {
  admin: AdminApi,
  own: withoutDecodeError(HttpApi.make("own").add(AccountApi).add(ModelsApi).add(VideosApi)),
  console: ConsoleApi.addHttpApi(DevicesContract).addHttpApi(ToolsContract)
}

/** Where a schema has other values in the program than on the wire, by the path of the field. */
const changed = (ast: SchemaAST.AST, at: string, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  const inside = (part: SchemaAST.AST, name = "") => changed(part, `${at}${name}`, seen)
  switch (ast._tag) {
    case "Transformation":
      // A field that may be absent where another gateway answers; this one always has it.
      return SchemaAST.isTypeLiteralTransformation(ast.transformation) ? inside(ast.from) : [at]
    case "Refinement":
      return inside(ast.from)
    case "Union":
      return ast.types.flatMap((one) => inside(one))
    case "TupleType":
      return [...ast.elements, ...ast.rest].flatMap(({ type }) => inside(type, "[]"))
    case "TypeLiteral":
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => inside(type, `.${String(name)}`)),
        ...ast.indexSignatures.flatMap(({ type }) => inside(type, "[]"))
      ]
    case "Suspend":
      return inside(ast.f())
    default:
      return []
  }
}

/** The contract's endpoints: how each is called, and what of it the page would have to encode or decode. */
const declared = (contract: HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any>) => {
  const lines = new Map<string, { readonly line: string; readonly changed: ReadonlyArray<string> }>()
  HttpApi.reflect(contract, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      const schemas = [endpoint.pathSchema, endpoint.payloadSchema].flatMap((one) => Option.toArray(one))
      const answers = [...successes.values()].flatMap(({ ast }) => Option.toArray(ast))
      lines.set(`${group.identifier}.${endpoint.name}`, {
        line: `${endpoint.method} ${endpoint.path}`,
        changed: [...schemas.map(({ ast }) => ast), ...answers].flatMap((ast) => changed(ast, endpoint.name))
      })
    }
  })
  return lines
}

it.each(Object.entries(contracts))("the page's calls of %s are the contract's, with nothing to decode", (name, api) => {
  const known = declared(api)
  const table = Object.entries(endpoints).flatMap(([of, groups]) =>
    of === name
      ? Object.entries(groups).flatMap(([group, lines]) =>
          Object.entries(lines).map(([endpoint, line]) => [`${group}.${endpoint}`, line] as const)
        )
      : []
  )
  expect(table.length).toBeGreaterThan(0)
  for (const [endpoint, line] of table)
    expect([endpoint, known.get(endpoint)]).toEqual([endpoint, { line, changed: [] }])
})
