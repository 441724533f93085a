import { Args, Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import type { ToolServerRecord } from "../admin/ToolServerRecord.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { help, json, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable, table } from "./table.ts"

class NoSuchServer extends Data.TaggedError("NoSuchServer")<{ readonly message: string }> {}

const server = Args.text({ name: "SERVER" }).pipe(Args.withDescription("Show the tools of this server."), Args.optional)
const test = Options.boolean("test").pipe(
  Options.withDescription("Ask each server for its tools first; no tool is called.")
)

const tools = Command.make("tools", { server, test, wide, json }, ({ json, server, test, wide }) =>
  administer(
    Effect.gen(function* () {
      const operator = yield* Operator
      const known = yield* operator.tools.list
      const name = Option.getOrUndefined(server)
      const wanted = known.filter((one) => name === undefined || one.name === name)
      if (wanted.length === 0 && name !== undefined) {
        return yield* new NoSuchServer({ message: `there is no server "${name}"; see: gateway tools` })
      }
      const servers = test
        ? yield* Effect.forEach(wanted, (one) => Effect.map(operator.tools.test(one.name), (tested) => tested.server), {
            concurrency: 8
          })
        : wanted
      yield* print(json, servers, () =>
        name === undefined
          ? [listTable(header, servers.map(row), { rare, wide }), ...servers.flatMap(failure)].join("\n")
          : servers.flatMap((one) => [toolsText(one), ...one.warnings, ...failure(one)]).join("\n")
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "List the MCP servers of a running gateway, and the tools of one. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY).",
      "gateway tools --test",
      "gateway tools jira",
      "gateway tools --url https://gateway.example.com --json"
    )
  )
)

export const toolsCommand = remoteLeaf(tools)

const rare = ["PROTOCOL", "AUTH", "SINCE", "ERRORS"]
const header = ["SERVER", "STATE", "SINCE", "TOOLS", "CHANGED", "CALLS", "ERRORS", "P95", "AUTH", "PROTOCOL", "ADDRESS"]

const row = ({ auth, era, name, since, state, tools, url, use }: ToolServerRecord): ReadonlyArray<string> => {
  const changed = tools?.filter((tool) => tool.changed !== undefined).length ?? 0
  return [
    name,
    state,
    since === null ? "" : shortTime(since),
    tools === null ? "" : String(tools.length),
    changed === 0 ? "" : String(changed),
    use === null ? "" : String(use.calls),
    use === null ? "" : String(use.errors),
    use === null || use.duration_ms === null ? "" : `${use.duration_ms.p95} ms`,
    auth,
    era ?? "",
    url ?? "built in"
  ]
}

const failure = ({ last_failure: last, name }: ToolServerRecord): ReadonlyArray<string> =>
  last === null ? [] : [`${name} failed last at ${shortTime(last.time)}: ${last.message}`]

const toolsText = ({ auth, name, tools }: ToolServerRecord): string => {
  if (tools === null) {
    return auth === "caller" || auth === "person"
      ? `${name} lists its tools for each ${auth}'s ${auth === "caller" ? "token" : "account"}.`
      : `${name} has not listed its tools yet: gateway tools ${name} --test`
  }
  return table(
    ["TOOL", "READS ONLY", "CHANGED", "DESCRIPTION"],
    tools.map((tool) => [
      tool.name,
      tool.read_only ? "yes" : "no",
      tool.changed === undefined ? "" : shortTime(tool.changed.at),
      firstLine(tool.description ?? "")
    ])
  )
}

const firstLine = (text: string): string => {
  const line = text.trim().split("\n", 1)[0] ?? ""
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
