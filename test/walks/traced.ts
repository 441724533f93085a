/*
 * Preloaded by a gateway whose walks are recorded: each function of `src` says that it is entered, each statement of SQLite
 * that it is run. `POST` to its socket begins a recording, `GET` ends it
 * once the row of a request is stored.
 */

import { readFileSync } from "node:fs"
import { relative, join } from "node:path"
import { isMainThread } from "node:worker_threads"
import { Database } from "bun:sqlite"
import { instrumented } from "./instrument.ts"
import type { Recording } from "./recording.ts"

const root = join(import.meta.dirname, "../../src")
const names: Array<string> = []
let entered: Array<number> = []
let statements: Array<string> = []
let isOn = false
/** Within a timer's function: whether it is due is no matter of the request. */
let inTimer = 0

const walked = (name: number) => {
  if (isOn && inTimer === 0) entered.push(name)
}
Object.assign(globalThis, { walked })

for (const timer of ["setTimeout", "setInterval"] as const) {
  const real = globalThis[timer]
  const wrapped = (run: (...args: ReadonlyArray<unknown>) => void, ms = 0, ...given: ReadonlyArray<unknown>) => {
    const timed = (...args: ReadonlyArray<unknown>) => {
      inTimer++
      try {
        run(...args)
      } finally {
        inTimer--
      }
    }
    // Those without a time are Effect's turns.
    return real(ms > 0 ? timed : run, ms, ...given)
  }
  Object.assign(globalThis, { [timer]: wrapped })
}

const noteAt = (target: object, method: string, textOf: (self: unknown, first: unknown) => string) => {
  const real = Reflect.get(target, method)
  Reflect.set(target, method, function (this: unknown, ...args: ReadonlyArray<unknown>) {
    if (isOn) statements.push(textOf(this, args[0]))
    return Reflect.apply(real, this, args)
  })
}
for (const method of ["run", "exec"]) noteAt(Database.prototype, method, (_, text) => String(text))
// Its methods are each statement's own.
const noted = new WeakSet<object>()
for (const method of ["prepare", "query"] as const) {
  const real: unknown = Reflect.get(Database.prototype, method)
  Reflect.set(Database.prototype, method, function (this: unknown, ...args: ReadonlyArray<unknown>) {
    const statement: object = Reflect.apply(real as () => object, this, args)
    if (!noted.has(statement)) {
      noted.add(statement)
      for (const way of ["run", "all", "get", "values", "iterate"]) noteAt(statement, way, () => String(args[0]))
    }
    return statement
  })
}

Bun.plugin({
  name: "walks",
  setup: (build) => {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: instrumented(relative(root, path), readFileSync(path, "utf8"), (name) => names.push(name) - 1),
      loader: "ts"
    }))
  }
})

/** Whether the request's row is stored. */
const isStored = () => {
  const row = statements.findIndex((text) => text.includes("INSERT INTO requests"))
  return row !== -1 && statements.includes("COMMIT", row)
}

// Its workers are preloaded with this too.
if (isMainThread) {
  Bun.serve({
    unix: process.env["WALKS_SOCKET"] ?? "",
    fetch: async (request) => {
      if (request.method === "POST") {
        entered = []
        statements = []
        isOn = true
        return new Response()
      }
      while (!isStored()) await Bun.sleep(5)
      isOn = false
      return Response.json({ entered: entered.map((name) => names[name] ?? ""), statements } satisfies Recording)
    }
  })
}
