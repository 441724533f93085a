import { HttpApiSchema } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { SchemaAST } from "effect"
import { CodedError } from "../../src/contract/failures/codedErrors.ts"
import { failures } from "../../src/contract/failures/Failure.ts"
import { MessagesError } from "../../src/messages/Errors.ts"
import { TasksError } from "../../src/messages/async/Errors.ts"
import { VideosError } from "../../src/videos/Errors.ts"
import { read } from "./documents.ts"

const page = await read("docs/api.md")

/** The rows of the table below a heading: a status, and what is in backticks behind it. */
const tableOf = (heading: string): ReadonlyArray<string> => {
  const section = page.split(`### ${heading}\n`)[1]?.split(/^#/m)[0] ?? ""
  const rows = section.matchAll(/^\| (\d[^|]*)\|(.*)\|$/gm)
  return [...rows].flatMap(([, statuses = "", columns = ""]) => {
    const words = columns.split("|").map((column) => /`([^`]+)`/.exec(column)?.[1] ?? "")
    return [...statuses.matchAll(/\d{3}/g)].map(([status]) => [status, ...words].join(" "))
  })
}

/** The same, of what the server says. */
const rowsOf = (family: { readonly ast: SchemaAST.AST }): ReadonlySet<string> =>
  new Set(
    (family.ast._tag === "Union" ? family.ast.types : []).map((member) => {
      const [failure] = Object.values(failures)
        .map((Failure) => new Failure({ message: "no", param: null, code: null, retryAfterSeconds: 1 }))
        .filter((one) => Schema.is(Schema.typeSchema(Schema.make(member)))(one))
      const { error } = Schema.encodeSync(Schema.make<unknown, { error: { code?: string; type: string } }>(member))(
        failure
      )
      return [
        HttpApiSchema.getStatusErrorAST(member),
        ...(error.code === undefined ? [] : [error.code]),
        error.type
      ].join(" ")
    })
  )

it.each([
  ["Errors of video tasks", VideosError],
  ["Errors of responses", CodedError],
  ["Errors of messages", MessagesError],
  ["Errors of task queries", TasksError]
])("%s are as the page has them", (heading, family) => {
  expect(rowsOf(family).size).toBeGreaterThan(5)
  expect([...new Set(tableOf(heading))].toSorted()).toEqual([...rowsOf(family)].toSorted())
})
