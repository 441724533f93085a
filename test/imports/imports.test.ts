import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { complaints, importsOf, importsOfAll, readAll, strayFutures } from "./imports.ts"
import { followFutures, rooms } from "./rooms.ts"

describe("the gateway's imports", async () => {
  const imports = importsOfAll(await readAll(join(import.meta.dirname, "../..")))
  const withFile = (file: string, text: string) =>
    complaints(new Map([...imports, [file, importsOf(file, text)]]), rooms)

  it("are as the table has them", () => {
    expect(complaints(imports, rooms)).toEqual([])
  })

  it.each([
    ["import", 'import { serve } from "../http/Server.ts"'],
    ["import of a type", 'import type { Serving } from "../http/Server.ts"'],
    ["re-export", 'export { serve } from "../http/Server.ts"'],
    ["re-export of all", 'export * from "../http/Server.ts"'],
    ["import on demand", 'export const later = () => import("../http/Server.ts")'],
    ["type taken in place", 'export type Serving = import("../http/Server.ts").Serving']
  ])("may not go backward: %s", (_, text) => {
    expect(withFile("catalogue/backward.ts", text)).toEqual([
      "catalogue/backward.ts imports http/Server.ts: catalogue may not import http"
    ])
  })

  it("may not go to a sibling family, nor out of the source", () => {
    expect(withFile("responses/x.ts", 'import type { Message } from "../messages/Message.ts"')).toEqual([
      "responses/x.ts imports messages/Message.ts: responses may not import messages"
    ])
    expect(withFile("responses/x.ts", 'import "../../test/run.ts"')).toEqual([
      "responses/x.ts imports ../test/run.ts: responses may not import .."
    ])
  })

  it("may not be of a room that the table does not know", () => {
    expect(withFile("attic/Box.ts", "export const box = 1")).toEqual(["attic: a room without a row in the table"])
  })
})

describe("work under way", async () => {
  const imports = importsOfAll(await readAll(join(import.meta.dirname, "../..")))

  it("is followed in the rooms that may", () => {
    expect(strayFutures(imports, followFutures)).toEqual([])
  })

  it.each(["messages", "responses", "chat", "embeddings", "videos"])("is not followed in %s", (family) => {
    const text = 'import type { Future } from "../flow/Future.ts"'
    expect(strayFutures(importsOfAll(new Map([[`${family}/x.ts`, text]])), followFutures)).toEqual([
      `${family}/x.ts imports flow/Future.ts: ${family} may not follow work under way`
    ])
  })
})

describe("a table", () => {
  const file = (imported: string) => `import type { A } from "${imported}"`

  it("knows the deepest room that has a row", () => {
    const sources = new Map([
      ["sql/Changes.ts", ""],
      ["sql/sqlite/Client.ts", file("../Changes.ts")],
      ["sql/postgres/Client.ts", file("../sqlite/Client.ts")]
    ])
    expect(complaints(importsOfAll(sources), { sql: [], "sql/sqlite": ["sql"], "sql/postgres": ["sql"] })).toEqual([
      "sql/postgres/Client.ts imports sql/sqlite/Client.ts: sql/postgres may not import sql/sqlite"
    ])
  })

  it("names only rooms above a row, and rooms that exist", () => {
    expect(complaints(new Map([["a/A.ts", []]]), { a: ["b"], b: [] })).toEqual([
      "a → b: the table may only name rooms above",
      "b: a row of the table without a room"
    ])
  })

  it("allows no circle of files, also where they are in one room", () => {
    const sources = new Map([
      ["a/A.ts", file("./B.ts")],
      ["a/B.ts", file("./C.ts")],
      ["a/C.ts", file("./B.ts")]
    ])
    expect(complaints(importsOfAll(sources), { a: [] })).toEqual(["a circle: a/B.ts → a/C.ts → a/B.ts"])
  })

  it("is not asked about packages", () => {
    expect(importsOf("a/A.ts", 'import { Effect } from "effect"\nimport "node:fs"')).toEqual([])
  })
})

describe("a service's id", () => {
  it("spells the folder that it lies in", async () => {
    const misspelt: Array<string> = []
    for (const [file, source] of await readAll(join(import.meta.dirname, "../.."))) {
      for (const [, id = ""] of source.matchAll(/"gateway\/([\w/]+)"/g)) {
        if (dirname(id) !== dirname(file)) misspelt.push(`${file}: gateway/${id}`)
      }
    }
    expect(misspelt).toEqual([])
  })
})
