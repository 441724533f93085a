import { HttpApi } from "@effect/platform"
import { Option, SchemaAST as AST } from "effect"
import { expect, it } from "vitest"
import { GatewayApi } from "../../src/Api.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { describe as describeIssue } from "../../src/contract/describe.ts"

/** The rules for texts in a schema, by their place; a schema that is used twice has its first. */
const textRules = (schema: AST.AST) => {
  const rules = new Map<AST.Refinement, string>()
  const seen = new Set<AST.AST>()
  const walk = (ast: AST.AST, place: string): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    switch (ast._tag) {
      case "Refinement":
        if (AST.isStringKeyword(ast.from)) rules.set(ast, place)
        return walk(ast.from, place)
      case "TypeLiteral":
        for (const one of ast.propertySignatures) walk(one.type, `${place}.${String(one.name)}`)
        for (const one of ast.indexSignatures) walk(one.type, `${place}.*`)
        return
      case "TupleType":
        return [...ast.elements, ...ast.rest].forEach(({ type }) => walk(type, `${place}[]`))
      case "Union":
        return ast.types.forEach((type) => walk(type, place))
      case "Suspend":
        return walk(ast.f(), place)
      case "Transformation":
        return walk(ast.from, place)
      default:
        return
    }
  }
  walk(schema, "")
  return rules
}

const wrongTexts = ["", " ", "\u0000", "?!", "x".repeat(100_000)]

/** The rules that a text broke, and that ask for a text. */
const silent = (schema: AST.AST) =>
  [...textRules(schema)].flatMap(([rule, place]) =>
    wrongTexts.flatMap((text) => {
      const issue = Option.getOrUndefined(rule.filter(text, {}, rule))
      if (issue === undefined) return []
      const { message } = describeIssue({
        _tag: "Refinement",
        kind: "Predicate",
        ast: rule,
        actual: text,
        issue
      } as never)
      return message.startsWith("expected a string; got") ? [`${place}: ${JSON.stringify(text.slice(0, 10))}`] : []
    })
  )

it("a refused text is told what was expected of it, not that a string was", () => {
  const schemas = new Map<string, AST.AST>([["gateway.yaml", GatewayFile.ast]])
  HttpApi.reflect(GatewayApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      for (const part of [endpoint.pathSchema, endpoint.urlParamsSchema, endpoint.payloadSchema]) {
        if (Option.isSome(part)) schemas.set(`${endpoint.method} ${endpoint.path} ${schemas.size}`, part.value.ast)
      }
    }
  })
  const found = [...schemas].flatMap(([name, ast]) => silent(ast).map((text) => `${name} ${text}`))
  expect(schemas.size).toBeGreaterThan(80)
  expect(found).toEqual([])
})
